// Events. The program calls itself with each one, so that an event is an inner instruction of the transaction: what
// other programs log cannot look like one, and no limit on logs can cut it off. The data is the tag that Anchor gives
// such events, the event's number, then its fields in the order of idl.json. The one account is the crown or the config
// that the event is about, and it signs, which only this program can make it do.
#pragma once
#include "accounts.h"

static const u8 EVENT_TAG[8] = {0xe4, 0x45, 0xa5, 0x2e, 0x51, 0xcb, 0x9a, 0x1d};

enum Event {
    REGISTERED = 1,
    RELEASED,
    ROLE_CHANGED,
    PROFILE_CHANGED,
    PEER_CHANGED,
    END_ANNOUNCED,
    END_OBJECTED,
    END_CONFIRMED,
    END_VETOED,
    END_WITHDRAWN,
    ENDED,
    SETTLED,
    SIGNER_ANNOUNCED,
    SIGNER_CHANGED,
    SIGNER_SUSPENDED_EVENT,
    GUARDIAN_OFFERED,
    GUARDIAN_CHANGED,
    LIMITS_CHANGED,
    SIGNER_CANCELLED,
};

typedef struct {
    u8 bytes[296];
    u64 length;
} Record;

static NOINLINE void record_bytes(Record *r, const void *from, u64 length) {
    sol_memcpy_(r->bytes + r->length, from, length);
    r->length += length;
}

static NOINLINE void record_begin(Record *r, u8 event) {
    sol_memcpy_(r->bytes, EVENT_TAG, sizeof(EVENT_TAG));
    r->bytes[sizeof(EVENT_TAG)] = event;
    r->length = sizeof(EVENT_TAG) + 1;
}

static NOINLINE void record_of_crown(Record *r, u8 event, const Crown *crown) {
    record_begin(r, event);
    record_bytes(r, &crown->token_id, 8);
    record_bytes(r, &crown->header.symbol_length, 1 + MAX_SYMBOL);
    record_bytes(r, crown->owner, KEY);
}

// The program's own account comes last wherever an event is emitted: the runtime only calls programs that it is given.
static NOINLINE u64 record_emit(const Input *in, const Record *r, const Account *about, const SignerSeeds *signer) {
    REQUIRE(same_key(in->accounts[in->count - 1].key, in->program), BAD_INSTRUCTION);
    Meta meta = {about->key, 0, 1};
    AccountInfo info;
    account_info(about, &info);
    Instruction call = {in->program, &meta, 1, r->bytes, r->length};
    return sol_invoke_signed_c(&call, &info, 1, signer, 1);
}

static NOINLINE u64 emit_of_crown(const Input *in, const Record *r, const Account *about) {
    const CrownHeader *header = (const CrownHeader *)about->data;
    Bytes seeds[3];
    crown_seeds(seeds, header->symbol, header->symbol_length, &header->bump);
    SignerSeeds signer = {seeds, 3};
    return record_emit(in, r, about, &signer);
}

static NOINLINE u64 emit_of_config(const Input *in, const Record *r, const Account *about) {
    Bytes seeds[2] = {{CONFIG_SEED, 6}, {&((const Config *)about->data)->bump, 1}};
    SignerSeeds signer = {seeds, 2};
    return record_emit(in, r, about, &signer);
}

// The call with which the program records an event. Nothing is to be done: that it succeeds shows who made it. Nobody
// else can have an account that we own, that is not empty and that signs.
static NOINLINE u64 accept_event(const Input *in) {
    REQUIRE(in->count == 1, BAD_INSTRUCTION);
    const Account *about = &in->accounts[0];
    REQUIRE(about->signer, MISSING_SIGNATURE);
    REQUIRE(same_key(about->owner, in->program) && data_length(about) >= sizeof(CrownHeader), WRONG_CROWN);
    REQUIRE(about->data[0] == CONFIG_KIND || about->data[0] == CROWN_KIND, WRONG_CROWN);
    return OK;
}
