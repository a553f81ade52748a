// Accounts of this program, byte by byte. idl.json describes the same layouts. All numbers are little-endian.
#pragma once
#include "sbpf.h"

#define VERSION 1
#define CONFIG_KIND 1
#define CROWN_KIND 2
#define MAX_SYMBOL 12
#define MAX_URI 128
#define MAX_ROLES 8

// Address: ["config"].
typedef struct __attribute__((packed)) {
    u8 kind, version, bump, suspended;
    u32 end_delay, objection_delay, signer_delay;  // seconds
    u32 free_per_day, free_used, free_day;
    u16 signer_term;  // counts signers and suspensions: an end announced in an earlier term is void
    u16 reserved;
    u64 paid_from;  // lamports: a fee below it counts as free
    u64 last_token_id;
    u8 cluster[KEY];  // genesis hash: a statement for one cluster says nothing on another
    u8 signer[KEY], guardian[KEY], treasury[KEY];
    u8 next_signer[KEY];
    i64 next_signer_at;  // 0: nothing announced
    u8 next_guardian[KEY];
    i64 next_guardian_at;
} Config;

typedef struct __attribute__((packed)) {
    u8 kind;  // MANAGER or MAINTAINER
    u8 account[KEY];
} Role;

// What stays of an ended registration, so that no statement is used twice. While the symbol is registered the account
// is as long as a Crown.
typedef struct __attribute__((packed)) {
    u8 kind, version, bump, symbol_length;
    u8 symbol[MAX_SYMBOL];
    u64 last_nonce;
} CrownHeader;

// Address: ["crown", symbol].
typedef struct __attribute__((packed)) {
    CrownHeader header;
    u64 token_id;
    u8 owner[KEY], mint[KEY];
    i64 registered_at;
    u64 peer_chain_id, peer_token_id;
    u8 end_reason, end_objected, end_confirmed, role_count;
    u8 uri_length, reserved;
    u16 end_term;  // the signer_term in which the end was announced
    i64 end_due;
    Role roles[MAX_ROLES];
    u8 uri[MAX_URI];
} Crown;

enum RoleKind { MANAGER = 1, MAINTAINER = 2 };
enum EndReason { NO_END = 0, INACTIVE = 1, CHALLENGE_UPHELD = 2 };

_Static_assert(sizeof(Config) == 256, "as idl.json says");
_Static_assert(sizeof(CrownHeader) == 24, "as idl.json says");
_Static_assert(sizeof(Crown) == 528, "as idl.json says");
