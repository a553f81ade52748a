// Who signs for the service, and the guardian above it. The guardian's key is kept offline.
#pragma once

// The guardian's accounts: guardian (signer), config (writable), this program.
static NOINLINE u64 load_governed(Input *in, u64 bytes, Config **config) {
    EXPECT(3, bytes);
    TRY(load_config(in, ACCOUNT(1), config));
    REQUIRE(ACCOUNT(0)->signer, MISSING_SIGNATURE);
    REQUIRE(same_key((*config)->guardian, ACCOUNT(0)->key), NOT_GUARDIAN);
    return OK;
}

static NOINLINE u64 emit_change(const Input *in, const Account *config, u8 event, const u8 *account, i64 at) {
    Record r;
    record_begin(&r, event);
    record_bytes(&r, account, KEY);
    record_bytes(&r, &at, 8);
    return emit_of_config(in, &r, config);
}

// Data: signer (32).
static NOINLINE u64 announce_signer(Input *in) {
    Config *config;
    TRY(load_governed(in, KEY, &config));
    sol_memcpy_(config->next_signer, in->data + 1, KEY);
    config->next_signer_at = in->clock.unix_seconds + config->signer_delay;
    return emit_change(in, ACCOUNT(1), SIGNER_ANNOUNCED, config->next_signer, config->next_signer_at);
}

static NOINLINE u64 cancel_signer(Input *in) {
    Config *config;
    TRY(load_governed(in, 0, &config));
    REQUIRE(config->next_signer_at != 0, NOTHING_ANNOUNCED);
    TRY(emit_change(in, ACCOUNT(1), SIGNER_CANCELLED, config->next_signer, config->next_signer_at));
    sol_memset_(config->next_signer, 0, KEY);
    config->next_signer_at = 0;
    return OK;
}

// At once: no statement counts until another signer is in force, and no end that this one announced.
static NOINLINE u64 suspend_signer(Input *in) {
    Config *config;
    TRY(load_governed(in, 0, &config));
    config->suspended = 1;
    config->signer_term++;
    return emit_change(in, ACCOUNT(1), SIGNER_SUSPENDED_EVENT, config->signer, in->clock.unix_seconds);
}

// Accounts: config (writable), instructions sysvar, this program. The next signer's own statement shows that its key is at hand.
static NOINLINE u64 activate_signer(Input *in) {
    EXPECT(3, 0);
    Config *config;
    TRY(load_config(in, ACCOUNT(0), &config));
    REQUIRE(config->next_signer_at != 0, NOTHING_ANNOUNCED);
    REQUIRE(in->clock.unix_seconds >= config->next_signer_at, TOO_EARLY);
    Statement s;
    begin_statement(&s, SIGNER_ACCEPTANCE, config, in->program);
    add_bytes(&s, config->next_signer, KEY);
    add_u64(&s, (u64)config->next_signer_at);
    TRY(require_signed(ACCOUNT(1), 1, &s, config->next_signer));
    sol_memcpy_(config->signer, config->next_signer, KEY);
    sol_memset_(config->next_signer, 0, KEY);
    config->next_signer_at = 0;
    config->suspended = 0;
    config->signer_term++;
    return emit_change(in, ACCOUNT(0), SIGNER_CHANGED, config->signer, in->clock.unix_seconds);
}

// Data: guardian (32).
static NOINLINE u64 offer_guardian(Input *in) {
    Config *config;
    TRY(load_governed(in, KEY, &config));
    sol_memcpy_(config->next_guardian, in->data + 1, KEY);
    config->next_guardian_at = in->clock.unix_seconds + config->signer_delay;
    return emit_change(in, ACCOUNT(1), GUARDIAN_OFFERED, config->next_guardian, config->next_guardian_at);
}

// Accounts: the next guardian (signer), config (writable), this program.
static NOINLINE u64 accept_guardian(Input *in) {
    EXPECT(3, 0);
    Config *config;
    TRY(load_config(in, ACCOUNT(1), &config));
    REQUIRE(ACCOUNT(0)->signer, MISSING_SIGNATURE);
    REQUIRE(config->next_guardian_at != 0, NOTHING_ANNOUNCED);
    REQUIRE(same_key(config->next_guardian, ACCOUNT(0)->key), NOT_GUARDIAN);
    REQUIRE(in->clock.unix_seconds >= config->next_guardian_at, TOO_EARLY);
    sol_memcpy_(config->guardian, config->next_guardian, KEY);
    sol_memset_(config->next_guardian, 0, KEY);
    config->next_guardian_at = 0;
    return emit_change(in, ACCOUNT(1), GUARDIAN_CHANGED, config->guardian, in->clock.unix_seconds);
}

// Data: free a day (4), paid from (8).
static NOINLINE u64 set_limits(Input *in) {
    Config *config;
    TRY(load_governed(in, 12, &config));
    config->free_per_day = read_u32(in->data + 1);
    config->paid_from = read_u64(in->data + 5);
    Record r;
    record_begin(&r, LIMITS_CHANGED);
    record_bytes(&r, in->data + 1, 12);
    return emit_of_config(in, &r, ACCOUNT(1));
}
