// Deals: a registration goes to whoever the holder agreed with and the service has seen pay.
#pragma once

#define CONSENT_BYTES (KEY + 8 + KEY + KEY + 8 + 8 + 8)

// Accounts: owner (signer), crown (writable). Data: floor (8). Consents with a lower nonce count no more.
static NOINLINE u64 revoke_consents(Input *in) {
    EXPECT(2, 8);
    Crown *crown;
    TRY(load_crown(in, ACCOUNT(1), &crown));
    REQUIRE(ACCOUNT(0)->signer, MISSING_SIGNATURE);
    REQUIRE(same_key(crown->owner, ACCOUNT(0)->key), NOT_OWNER);
    u64 floor = read_u64(in->data + 1);
    REQUIRE(floor > crown->consent_floor, FLOOR_NOT_HIGHER);
    crown->consent_floor = floor;
    return OK;
}

// The holder's consent: deal (32), token id (8), offerer (32), currency (32), amount (8), deadline (8), nonce (8).
static NOINLINE u64 require_consent(Input *in, const Config *config, const Crown *crown, const u8 *consent) {
    REQUIRE(read_u64(consent + 32) == crown->token_id, WRONG_TOKEN_ID);
    REQUIRE(in->clock.unix_seconds <= (i64)read_u64(consent + 112), AUTHORIZATION_EXPIRED);
    REQUIRE(read_u64(consent + 120) >= crown->consent_floor, CONSENT_REVOKED);
    Statement s;
    begin_statement(&s, SETTLEMENT_CONSENT, config, in->program);
    add_bytes(&s, consent, CONSENT_BYTES);
    return require_signed(ACCOUNT(4), 2, &s, crown->owner);
}

static NOINLINE u64 require_settlement(Input *in, const Config *config, Crown *crown, const u8 *consent) {
    u8 digest[32];
    Bytes part = {consent, CONSENT_BYTES};
    sol_sha256(&part, 1, digest);
    Statement s;
    begin_statement(&s, SETTLEMENT, config, in->program);
    add_bytes(&s, digest, 32);
    add_bytes(&s, consent + CONSENT_BYTES, 16);  // deadline, nonce
    TRY(require_service(ACCOUNT(4), 1, &s, config));
    return use_nonce(&crown->header, read_u64(consent + CONSENT_BYTES + 8), (i64)read_u64(consent + CONSENT_BYTES),
                     &in->clock);
}

// Accounts: config (writable), crown (writable), previous owner (writable), new owner (signer, writable), instructions
// sysvar, system program, this program. Data: the consent, then deadline (8) and nonce (8) of the service's
// authorisation. Two instructions come before: the holder's consent, then the service's authorisation.
// The new owner pays the rent, and the previous owner gets back what they paid. Roles, profile, peer, consents and a
// pending end are cleared, and the registration gets a new token id.
static NOINLINE u64 settle(Input *in) {
    EXPECT(7, CONSENT_BYTES + 16);
    Config *config;
    Crown *crown;
    TRY(load_config(in, ACCOUNT(0), &config));
    TRY(load_crown(in, ACCOUNT(1), &crown));
    const Account *before = ACCOUNT(2), *after = ACCOUNT(3);
    const u8 *consent = in->data + 1;
    REQUIRE(after->signer, MISSING_SIGNATURE);
    REQUIRE(same_key(ACCOUNT(5)->key, SYSTEM_PROGRAM), WRONG_SYSTEM_PROGRAM);
    REQUIRE(same_key(before->key, crown->owner), NOT_OWNER);
    REQUIRE(same_key(after->key, consent + 40), NOT_AUTHORIZED);
    TRY(require_consent(in, config, crown, consent));
    TRY(require_settlement(in, config, crown, consent));
    TRY(pay(after, before, rent_of(sizeof(Crown)) - rent_of(sizeof(CrownHeader))));
    u8 mint[KEY];
    sol_memcpy_(mint, crown->mint, KEY);
    u64 ended = crown->token_id;
    Record r;
    record_begin(&r, SETTLED);
    record_bytes(&r, &ended, 8);
    begin_registration(config, crown, after->key, mint, &in->clock);
    record_bytes(&r, &crown->token_id, 8);
    record_bytes(&r, crown->header.symbol - 1, 1 + MAX_SYMBOL);
    record_bytes(&r, before->key, KEY);
    record_bytes(&r, after->key, KEY);
    record_bytes(&r, mint, KEY);
    record_bytes(&r, consent, KEY);           // deal
    record_bytes(&r, consent + 72, KEY + 8);  // currency, amount
    return emit_of_crown(in, &r, ACCOUNT(1));
}
