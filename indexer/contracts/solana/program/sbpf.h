// What the runtime offers a program: types, system calls and the structures they take. Layouts are those of the
// loader's C interface (account data behind `input`, little-endian).
#pragma once

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long u64;
typedef long i64;

#define NOINLINE __attribute__((noinline))
#define KEY 32

typedef struct {
    const u8 *start;
    u64 length;
} Bytes;

typedef struct {
    const Bytes *seeds;
    u64 count;
} SignerSeeds;

typedef struct {
    const u8 *key;
    u8 writable, signer;
} Meta;

typedef struct {
    const u8 *program;
    const Meta *metas;
    u64 count;
    const u8 *data;
    u64 length;
} Instruction;

typedef struct {
    const u8 *key;
    u64 *lamports;
    u64 length;
    u8 *data;
    const u8 *owner;
    u64 rent_epoch;
    u8 signer, writable, executable;
} AccountInfo;

typedef struct {
    u64 slot;
    i64 epoch_start;
    u64 epoch, leader_epoch;
    i64 unix_seconds;
} Clock;

extern void sol_memcpy_(void *to, const void *from, u64 length);
extern void sol_memset_(void *to, u8 value, u64 length);
extern void sol_memcmp_(const void *a, const void *b, u64 length, int *result);
extern u64 sol_get_clock_sysvar(Clock *clock);
extern u64 sol_sha256(const Bytes *parts, u64 count, u8 *digest);
extern u64 sol_create_program_address(const Bytes *seeds, u64 count, const u8 *program, u8 *address);
extern u64 sol_try_find_program_address(const Bytes *seeds, u64 count, const u8 *program, u8 *address, u8 *bump);
extern u64 sol_invoke_signed_c(const Instruction *call, const AccountInfo *accounts, int count,
                               const SignerSeeds *signers, int signer_count);

static inline int same(const void *a, const void *b, u64 length) {
    int result;
    sol_memcmp_(a, b, length, &result);
    return result == 0;
}

static inline int same_key(const u8 *a, const u8 *b) { return same(a, b, KEY); }

static inline u64 read_u64(const u8 *at) {
    u64 value;
    sol_memcpy_(&value, at, 8);
    return value;
}

static inline u32 read_u32(const u8 *at) {
    u32 value;
    sol_memcpy_(&value, at, 4);
    return value;
}

static inline u16 read_u16(const u8 *at) { return (u16)(at[0] | at[1] << 8); }

static inline void write_u64(u8 *at, u64 value) { sol_memcpy_(at, &value, 8); }

static inline void write_u32(u8 *at, u32 value) { sol_memcpy_(at, &value, 4); }
