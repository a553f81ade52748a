// The accounts and the data of one instruction, as the loader lays them out.
#pragma once
#include "errors.h"
#include "sbpf.h"

#define MAX_ACCOUNTS 12
#define REALLOC_ROOM 10240

typedef struct {
    const u8 *key;
    const u8 *owner;
    u64 *lamports;
    u8 *data;
    u8 signer, writable, executable;
} Account;

typedef struct {
    Account accounts[MAX_ACCOUNTS];
    u64 count;
    const u8 *data;
    u64 length;
    const u8 *program;
    Clock clock;
} Input;

// The length stands before the data and may change while the program runs.
static inline u64 data_length(const Account *a) { return *(u64 *)(a->data - 8); }

static NOINLINE u64 parse_input(u8 *at, Input *in) {
    in->count = read_u64(at);
    at += 8;
    REQUIRE(in->count <= MAX_ACCOUNTS, BAD_INSTRUCTION);
    for (u64 i = 0; i < in->count; i++) {
        Account *a = &in->accounts[i];
        if (at[0] != 0xff) {  // given before
            REQUIRE(at[0] < i, BAD_INSTRUCTION);
            sol_memcpy_(a, &in->accounts[at[0]], sizeof(Account));
            at += 8;
            continue;
        }
        a->signer = at[1];
        a->writable = at[2];
        a->executable = at[3];
        a->key = at + 8;
        a->owner = at + 40;
        a->lamports = (u64 *)(at + 72);
        a->data = at + 88;
        at = a->data + data_length(a) + REALLOC_ROOM;
        at = (u8 *)(((u64)at + 7) & ~7UL) + 8;  // rent epoch
    }
    in->length = read_u64(at);
    in->data = at + 8;
    in->program = in->data + in->length;
    return sol_get_clock_sysvar(&in->clock);
}

// The least balance that keeps an account of this size; the runtime's own constants.
static inline u64 rent_of(u64 length) { return (length + 128) * 6960; }
