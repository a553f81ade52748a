// Addresses of our accounts, and what the system program does for us: payments, and accounts that grow and shrink.
#pragma once
#include "input.h"
#include "layout.h"

static const u8 SYSTEM_PROGRAM[KEY] = {0};
static const u8 CONFIG_SEED[] = "config";
static const u8 CROWN_SEED[] = "crown";

enum SystemInstruction { ASSIGN = 1, TRANSFER = 2, ALLOCATE = 8 };

static NOINLINE void account_info(const Account *a, AccountInfo *info) {
    info->key = a->key;
    info->lamports = a->lamports;
    info->length = data_length(a);
    info->data = a->data;
    info->owner = a->owner;
    info->rent_epoch = 0;
    info->signer = a->signer;
    info->writable = a->writable;
    info->executable = a->executable;
}

static NOINLINE u64 call_system(const Account *first, const Account *second, Bytes data, const SignerSeeds *signer) {
    const Account *used[2] = {first, second};
    u64 count = second ? 2 : 1;
    Meta metas[2];
    AccountInfo infos[2];
    for (u64 i = 0; i < count; i++) {
        metas[i].key = used[i]->key;
        metas[i].writable = 1;
        metas[i].signer = i == 0;
        account_info(used[i], &infos[i]);
    }
    Instruction call = {SYSTEM_PROGRAM, metas, count, data.start, data.length};
    return sol_invoke_signed_c(&call, infos, (int)count, signer, signer ? 1 : 0);
}

static NOINLINE u64 pay(const Account *from, const Account *to, u64 lamports) {
    if (lamports == 0) return OK;
    u8 data[12];
    write_u32(data, TRANSFER);
    write_u64(data + 4, lamports);
    return call_system(from, to, (Bytes){data, 12}, 0);
}

// The seeds of a crown's address; `symbol` must outlive them.
static inline void crown_seeds(Bytes *seeds, const u8 *symbol, u64 length, const u8 *bump) {
    seeds[0] = (Bytes){CROWN_SEED, 5};
    seeds[1] = (Bytes){symbol, length};
    seeds[2] = (Bytes){bump, 1};
}

// Make a new account of ours at a derived address. Lamports that somebody sent there before do not keep it from being
// made: an account with a balance can still be allocated and assigned by its own signature.
static NOINLINE u64 open_account(const Account *payer, const Account *a, u64 length, const SignerSeeds *signer,
                                 const u8 *program) {
    u64 rent = rent_of(length);
    if (*a->lamports < rent) TRY(pay(payer, a, rent - *a->lamports));
    u8 data[4 + KEY];
    write_u32(data, ALLOCATE);
    write_u64(data + 4, length);
    TRY(call_system(a, 0, (Bytes){data, 12}, signer));
    write_u32(data, ASSIGN);
    sol_memcpy_(data + 4, program, KEY);
    return call_system(a, 0, (Bytes){data, 4 + KEY}, signer);
}

// Change the size of an account of ours; new bytes are zero.
static NOINLINE void resize(const Account *a, u64 length) {
    u64 before = data_length(a);
    *(u64 *)(a->data - 8) = length;
    if (length > before) sol_memset_(a->data + before, 0, length - before);
}

static NOINLINE u64 load_config(const Input *in, const Account *a, Config **config) {
    REQUIRE(same_key(a->owner, in->program) && data_length(a) == sizeof(Config), WRONG_CONFIG);
    *config = (Config *)a->data;
    u8 address[KEY];
    Bytes seeds[2] = {{CONFIG_SEED, 6}, {&(*config)->bump, 1}};
    REQUIRE(sol_create_program_address(seeds, 2, in->program, address) == 0, WRONG_CONFIG);
    REQUIRE(same_key(address, a->key), WRONG_CONFIG);
    return OK;
}

// A registered crown. Its address needs no second check: only this program writes accounts that it owns, and it opens
// crowns at their derived addresses alone.
static NOINLINE u64 load_crown(const Input *in, const Account *a, Crown **crown) {
    REQUIRE(same_key(a->owner, in->program) && data_length(a) >= sizeof(CrownHeader), WRONG_CROWN);
    REQUIRE(a->data[0] == CROWN_KIND, WRONG_CROWN);
    REQUIRE(data_length(a) == sizeof(Crown), NOT_REGISTERED);
    *crown = (Crown *)a->data;
    return OK;
}
