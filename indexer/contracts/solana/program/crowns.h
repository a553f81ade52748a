// What happens to a registration: it begins, its owner and managers change it, it ends.
#pragma once
#include "accounts.h"
#include "events.h"
#include "statements.h"

#define DAY_SECONDS 86400

static const u8 TOKEN_PROGRAM[KEY] = {6,   221, 246, 225, 215, 101, 161, 147, 217, 203, 225, 70, 206, 235, 121, 172,
                                      28,  180, 133, 237, 95,  91,  55,  145, 58,  140, 245, 133, 126, 255, 0,   169};
static const u8 TOKEN_2022_PROGRAM[KEY] = {6,  221, 246, 225, 238, 117, 143, 222, 24,  66,  93, 188, 228, 108, 205, 218,
                                           182, 26, 252, 77,  131, 185, 13,  39,  254, 189, 249, 40, 216, 161, 139, 252};

// 1 to 12 of A-Z and 0-9, a letter among them.
static NOINLINE u64 require_symbol(const u8 *symbol, u64 length) {
    REQUIRE(length >= 1 && length <= MAX_SYMBOL, BAD_SYMBOL);
    int lettered = 0;
    for (u64 i = 0; i < length; i++) {
        u8 c = symbol[i];
        if (c >= 'A' && c <= 'Z')
            lettered = 1;
        else
            REQUIRE(c >= '0' && c <= '9', BAD_SYMBOL);
    }
    return lettered ? OK : BAD_SYMBOL;
}

// Fees below the guardian's minimum count as free, and free registrations are limited by day: a stolen signer's key
// cannot register every symbol at once.
static NOINLINE u64 count_free(Config *config, u64 fee, const Clock *clock) {
    if (fee > 0 && fee >= config->paid_from) return OK;
    u32 day = (u32)((u64)clock->unix_seconds / DAY_SECONDS);
    if (day != config->free_day) {
        config->free_day = day;
        config->free_used = 0;
    }
    REQUIRE(config->free_used < config->free_per_day, TOO_MANY_FREE);
    config->free_used++;
    return OK;
}

static NOINLINE void begin_registration(Config *config, Crown *crown, const u8 *owner, const u8 *mint,
                                        const Clock *clock) {
    sol_memset_((u8 *)crown + sizeof(CrownHeader), 0, sizeof(Crown) - sizeof(CrownHeader));
    crown->token_id = ++config->last_token_id;
    sol_memcpy_(crown->owner, owner, KEY);
    sol_memcpy_(crown->mint, mint, KEY);
    crown->registered_at = clock->unix_seconds;
}

// End a registration: the account shrinks to what keeps statements from being used twice, and the owner gets the rent
// of the rest. Statements that were made until now, and not used, count no more.
static NOINLINE u64 end_registration(const Account *account, Crown *crown, const Account *owner, const Clock *clock) {
    REQUIRE(same_key(owner->key, crown->owner) && owner->writable, NOT_OWNER);
    u64 past = nonce_at(clock->unix_seconds + 1);
    if (crown->header.last_nonce < past) crown->header.last_nonce = past;
    u64 kept = rent_of(sizeof(CrownHeader));
    if (*account->lamports > kept && owner->lamports != account->lamports) {
        *owner->lamports += *account->lamports - kept;
        *account->lamports = kept;
    }
    resize(account, sizeof(CrownHeader));
    return OK;
}

static NOINLINE Role *find_role(Crown *crown, u8 kind, const u8 *account) {
    for (u64 i = 0; i < crown->role_count; i++)
        if (crown->roles[i].kind == kind && same_key(crown->roles[i].account, account)) return &crown->roles[i];
    return 0;
}

static NOINLINE int manages(Crown *crown, const Account *who) {
    return same_key(crown->owner, who->key) || find_role(crown, MANAGER, who->key) != 0;
}

static NOINLINE u64 grant_role(Crown *crown, u8 kind, const u8 *account) {
    if (find_role(crown, kind, account)) return OK;
    REQUIRE(crown->role_count < MAX_ROLES, TOO_MANY_ROLES);
    Role *role = &crown->roles[crown->role_count++];
    role->kind = kind;
    sol_memcpy_(role->account, account, KEY);
    return OK;
}

static NOINLINE u64 revoke_role(Crown *crown, u8 kind, const u8 *account) {
    Role *role = find_role(crown, kind, account);
    REQUIRE(role != 0, NO_SUCH_ROLE);
    Role *last = &crown->roles[--crown->role_count];
    if (role != last) sol_memcpy_(role, last, sizeof(Role));
    sol_memset_(last, 0, sizeof(Role));
    return OK;
}
