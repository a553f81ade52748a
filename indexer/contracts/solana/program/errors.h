// Why an instruction is refused. idl.json lists the same numbers with their names and messages.
#pragma once

enum Error {
    OK = 0,
    BAD_INSTRUCTION = 6000,
    MISSING_SIGNATURE,
    WRONG_CONFIG,
    WRONG_CROWN,
    WRONG_SYSVAR,
    WRONG_SYSTEM_PROGRAM,
    WRONG_TREASURY,
    WRONG_MINT,
    ALREADY_INITIALIZED,
    BAD_SYMBOL,
    BAD_URI,
    SYMBOL_TAKEN,
    NOT_REGISTERED,
    WRONG_TOKEN_ID,
    NOT_OWNER,
    NOT_MANAGER,
    NOT_GUARDIAN,
    NOT_AUTHORIZED,
    AUTHORIZATION_EXPIRED,
    NONCE_USED,
    SIGNER_SUSPENDED,
    TREASURY_BELOW_RENT,
    TOO_MANY_FREE,
    TOO_MANY_ROLES,
    NO_SUCH_ROLE,
    END_PENDING,
    NO_END_PENDING,
    END_NOT_DUE,
    END_LAPSED,
    END_NOT_CONFIRMED,
    ALREADY_OBJECTED,
    NOTHING_ANNOUNCED,
    TOO_EARLY,
    NONCE_TOO_HIGH,
    WRONG_CURRENCY,
    WRONG_TOKEN_ACCOUNT,
    WRONG_PAYMENT,
};

#define REQUIRE(condition, error) \
    do {                          \
        if (!(condition)) return (error); \
    } while (0)

#define TRY(call)                  \
    do {                           \
        u64 failed_ = (call);      \
        if (failed_) return failed_; \
    } while (0)
