// Events, one `sol_log_data` field each: the event's number, then its fields in the order of idl.json.
#pragma once
#include "layout.h"
#include "sbpf.h"

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
    u8 bytes[288];
    u64 length;
} Record;

static NOINLINE void record_bytes(Record *r, const void *from, u64 length) {
    sol_memcpy_(r->bytes + r->length, from, length);
    r->length += length;
}

static NOINLINE void record_begin(Record *r, u8 event) {
    r->bytes[0] = event;
    r->length = 1;
}

static NOINLINE void record_of_crown(Record *r, u8 event, const Crown *crown) {
    record_begin(r, event);
    record_bytes(r, &crown->token_id, 8);
    record_bytes(r, &crown->header.symbol_length, 1 + MAX_SYMBOL);
    record_bytes(r, crown->owner, KEY);
}

static NOINLINE void record_emit(const Record *r) {
    Bytes field = {r->bytes, r->length};
    sol_log_data(&field, 1);
}
