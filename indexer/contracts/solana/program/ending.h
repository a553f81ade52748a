// Ending a registration by the service: announced, open to objection and veto, and only then carried out.
#pragma once

// From when it is due, an end may be carried out for this long.
#define END_LASTS (30 * DAY_SECONDS)

static NOINLINE u64 emit_end(Input *in, u8 event, const Account *account) {
    const Crown *crown = (const Crown *)account->data;
    Record r;
    record_of_crown(&r, event, crown);
    record_bytes(&r, &crown->end_reason, 1);
    record_bytes(&r, &crown->end_due, 8);
    return emit_of_crown(in, &r, account);
}

static NOINLINE void clear_end(Crown *crown) {
    crown->end_reason = NO_END;
    crown->end_objected = crown->end_confirmed = 0;
    crown->end_due = 0;
}

// Whether an end is announced and still counts: what a signer announced does not outlive it.
static inline int has_end(const Config *config, const Crown *crown) {
    return crown->end_reason != NO_END && crown->end_term == config->signer_term;
}

static inline int has_lapsed(const Crown *crown, const Clock *clock) {
    return clock->unix_seconds > crown->end_due + END_LASTS;
}

// Accounts: config, crown (writable), instructions sysvar, this program. Data: token id (8), reason (1), deadline (8),
// nonce (8).
// Anybody may hand in the service's statement.
static NOINLINE u64 announce_end(Input *in) {
    EXPECT(4, 25);
    Config *config;
    Crown *crown;
    TRY(load_config(in, ACCOUNT(0), &config));
    TRY(load_crown(in, ACCOUNT(1), &crown));
    u8 reason = in->data[9];
    REQUIRE(reason == INACTIVE || reason == CHALLENGE_UPHELD, BAD_INSTRUCTION);
    REQUIRE(read_u64(in->data + 1) == crown->token_id, WRONG_TOKEN_ID);
    REQUIRE(!has_end(config, crown) || has_lapsed(crown, &in->clock), END_PENDING);
    Statement s;
    begin_statement(&s, END_ANNOUNCEMENT, config, in->program);
    add_bytes(&s, in->data + 1, 25);
    TRY(require_service(ACCOUNT(2), 1, &s, config));
    TRY(use_nonce(&crown->header, read_u64(in->data + 18), (i64)read_u64(in->data + 10), &in->clock));
    clear_end(crown);
    crown->end_reason = reason;
    crown->end_term = config->signer_term;
    crown->end_due = in->clock.unix_seconds + config->end_delay;
    return emit_end(in, END_ANNOUNCED, ACCOUNT(1));
}

// Accounts: owner (signer), config, crown (writable), this program. Once, before the end is due: it is due later, and the guardian
// must confirm it.
static NOINLINE u64 object_to_end(Input *in) {
    EXPECT(4, 0);
    Config *config;
    Crown *crown;
    TRY(load_config(in, ACCOUNT(1), &config));
    TRY(load_crown(in, ACCOUNT(2), &crown));
    REQUIRE(ACCOUNT(0)->signer, MISSING_SIGNATURE);
    REQUIRE(same_key(crown->owner, ACCOUNT(0)->key), NOT_OWNER);
    REQUIRE(has_end(config, crown), NO_END_PENDING);
    REQUIRE(!crown->end_objected, ALREADY_OBJECTED);
    REQUIRE(in->clock.unix_seconds < crown->end_due, END_LAPSED);
    crown->end_objected = 1;
    crown->end_due += config->objection_delay;
    return emit_end(in, END_OBJECTED, ACCOUNT(2));
}

// The guardian's accounts: guardian (signer), config, crown (writable), this program.
static NOINLINE u64 load_for_guardian(Input *in, Crown **crown) {
    EXPECT(4, 0);
    Config *config;
    TRY(load_config(in, ACCOUNT(1), &config));
    TRY(load_crown(in, ACCOUNT(2), crown));
    REQUIRE(ACCOUNT(0)->signer, MISSING_SIGNATURE);
    REQUIRE(same_key(config->guardian, ACCOUNT(0)->key), NOT_GUARDIAN);
    REQUIRE(has_end(config, *crown), NO_END_PENDING);
    return OK;
}

static NOINLINE u64 confirm_end(Input *in) {
    Crown *crown;
    TRY(load_for_guardian(in, &crown));
    crown->end_confirmed = 1;
    return emit_end(in, END_CONFIRMED, ACCOUNT(2));
}

static NOINLINE u64 veto_end(Input *in) {
    Crown *crown;
    TRY(load_for_guardian(in, &crown));
    TRY(emit_end(in, END_VETOED, ACCOUNT(2)));
    clear_end(crown);
    return OK;
}

// Accounts: config, crown (writable), instructions sysvar, this program. Data: token id (8), deadline (8), nonce (8).
static NOINLINE u64 withdraw_end(Input *in) {
    EXPECT(4, 24);
    Config *config;
    Crown *crown;
    TRY(load_config(in, ACCOUNT(0), &config));
    TRY(load_crown(in, ACCOUNT(1), &crown));
    REQUIRE(read_u64(in->data + 1) == crown->token_id, WRONG_TOKEN_ID);
    REQUIRE(has_end(config, crown), NO_END_PENDING);
    Statement s;
    begin_statement(&s, END_WITHDRAWAL, config, in->program);
    add_bytes(&s, in->data + 1, 24);
    TRY(require_service(ACCOUNT(2), 1, &s, config));
    TRY(use_nonce(&crown->header, read_u64(in->data + 17), (i64)read_u64(in->data + 9), &in->clock));
    TRY(emit_end(in, END_WITHDRAWN, ACCOUNT(1)));
    clear_end(crown);
    return OK;
}

// Accounts: config, crown (writable), owner (writable), this program. Anybody may ask for it once it is due.
static NOINLINE u64 execute_end(Input *in) {
    EXPECT(4, 0);
    Config *config;
    Crown *crown;
    TRY(load_config(in, ACCOUNT(0), &config));
    TRY(load_crown(in, ACCOUNT(1), &crown));
    REQUIRE(has_end(config, crown), NO_END_PENDING);
    REQUIRE(in->clock.unix_seconds >= crown->end_due, END_NOT_DUE);
    REQUIRE(!has_lapsed(crown, &in->clock), END_LAPSED);
    REQUIRE(!crown->end_objected || crown->end_confirmed, END_NOT_CONFIRMED);
    TRY(emit_end(in, ENDED, ACCOUNT(1)));
    return end_registration(ACCOUNT(1), crown, ACCOUNT(2), &in->clock);
}
