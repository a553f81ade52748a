// Statements signed off chain with Ed25519. The runtime's Ed25519 program checks the signature in an instruction of its
// own, right before ours; here we check that this instruction says exactly what we expect.
//
// A statement: "regalia registry" (16 bytes), kind (1), cluster (32), program id (32), then the kind's own fields.
#pragma once
#include "input.h"
#include "layout.h"

#define STATEMENT_HEAD 81
#define MAX_STATEMENT 256

enum StatementKind {
    CLAIM = 1,
    END_ANNOUNCEMENT = 2,
    END_WITHDRAWAL = 3,
    SETTLEMENT = 4,
    SIGNER_ACCEPTANCE = 5,
};

typedef struct {
    u8 bytes[MAX_STATEMENT];
    u64 length;
} Statement;

static const u8 INSTRUCTIONS_SYSVAR[KEY] = {6, 167, 213, 23, 24, 123, 209, 102, 53, 218, 212, 4, 85, 253, 194, 192,
                                            193, 36, 198, 143, 33, 86, 117, 165, 219, 186, 203, 95, 8, 0, 0, 0};
static const u8 ED25519_PROGRAM[KEY] = {3, 125, 70, 214, 124, 147, 251, 190, 18, 249, 66, 143, 131, 141, 64, 255,
                                        5, 112, 116, 73, 39, 244, 138, 100, 252, 202, 112, 68, 128, 0, 0, 0};

// Where the Ed25519 program's data is, in the only form that we accept: one signature, all parts in the same
// instruction, in this order. Other offsets could point into an instruction of somebody else's.
#define ED_HEADER 16
#define ED_KEY_AT 16
#define ED_SIGNATURE_AT 48
#define ED_MESSAGE_AT 112
#define ED_THIS_INSTRUCTION 0xffff

static NOINLINE void begin_statement(Statement *s, u8 kind, const Config *config, const u8 *program) {
    static const char name[] = "regalia registry";
    sol_memcpy_(s->bytes, name, 16);
    s->bytes[16] = kind;
    sol_memcpy_(s->bytes + 17, config->cluster, KEY);
    sol_memcpy_(s->bytes + 49, program, KEY);
    s->length = STATEMENT_HEAD;
}

static NOINLINE void add_bytes(Statement *s, const void *from, u64 length) {
    sol_memcpy_(s->bytes + s->length, from, length);
    s->length += length;
}

static inline void add_u64(Statement *s, u64 value) { add_bytes(s, &value, 8); }

// Whether the instruction `before` places before ours is the Ed25519 program's check of this statement by `signer`.
static NOINLINE u64 require_signed(const Account *sysvar, u64 before, const Statement *s, const u8 *signer) {
    REQUIRE(same_key(sysvar->key, INSTRUCTIONS_SYSVAR), WRONG_SYSVAR);
    const u8 *all = sysvar->data;
    u64 size = data_length(sysvar);
    REQUIRE(size > 4, WRONG_SYSVAR);
    u64 own = read_u16(all + size - 2);
    REQUIRE(own >= before, NOT_AUTHORIZED);
    const u8 *at = all + read_u16(all + 2 + 2 * (own - before));
    u64 accounts = read_u16(at);
    at += 2 + accounts * 33;
    REQUIRE(same_key(at, ED25519_PROGRAM), NOT_AUTHORIZED);
    at += KEY;
    REQUIRE(read_u16(at) == ED_MESSAGE_AT + s->length, NOT_AUTHORIZED);
    const u8 *data = at + 2;
    REQUIRE(data[0] == 1, NOT_AUTHORIZED);
    REQUIRE(read_u16(data + 2) == ED_SIGNATURE_AT && read_u16(data + 4) == ED_THIS_INSTRUCTION, NOT_AUTHORIZED);
    REQUIRE(read_u16(data + 6) == ED_KEY_AT && read_u16(data + 8) == ED_THIS_INSTRUCTION, NOT_AUTHORIZED);
    REQUIRE(read_u16(data + 10) == ED_MESSAGE_AT && read_u16(data + 12) == s->length, NOT_AUTHORIZED);
    REQUIRE(read_u16(data + 14) == ED_THIS_INSTRUCTION, NOT_AUTHORIZED);
    REQUIRE(same_key(data + ED_KEY_AT, signer), NOT_AUTHORIZED);
    REQUIRE(same(data + ED_MESSAGE_AT, s->bytes, s->length), NOT_AUTHORIZED);
    return OK;
}

// The service's statement about a symbol: signed by the signer in force, in time, and newer than any used before.
static NOINLINE u64 require_service(const Account *sysvar, u64 before, const Statement *s, const Config *config) {
    REQUIRE(!config->suspended, SIGNER_SUSPENDED);
    return require_signed(sysvar, before, s, config->signer);
}

// The first nonce of a second of the chain's time: nonces are times, 4,096 for each microsecond since 1970.
static inline u64 nonce_at(i64 unix_seconds) { return (u64)unix_seconds * 4096 * 1000000; }

// A nonce far in the future would be the last that a symbol ever takes, and a stolen signer could use it for every symbol.
#define NONCE_AHEAD_SECONDS 3600

static inline u64 use_nonce(CrownHeader *crown, u64 nonce, i64 deadline, const Clock *clock) {
    REQUIRE(clock->unix_seconds <= deadline, AUTHORIZATION_EXPIRED);
    REQUIRE(nonce <= nonce_at(clock->unix_seconds + NONCE_AHEAD_SECONDS), NONCE_TOO_HIGH);
    REQUIRE(nonce > crown->last_nonce, NONCE_USED);
    crown->last_nonce = nonce;
    return OK;
}
