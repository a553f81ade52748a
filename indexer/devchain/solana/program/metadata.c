// Stands in for Metaplex's token metadata program, which cannot be had, at its address on the local chain. It knows one
// instruction, CreateMetadataAccountV3, and writes the account of a fungible token as that program does (published
// layouts; name, symbol and URI padded with zeros).
//
//   0 metadata   1 mint   2 mint authority (signer)   3 payer (signer)   4 update authority   5 system program
//
// Data: 33, name, symbol and URI (u32 length and bytes each), seller fee (u16), three absent options (creators,
// collection, uses), whether it can be changed (u8), one absent option.
#include "accounts.h"

#define CREATE_METADATA_V3 33
#define ACCOUNT_BYTES 679
#define METADATA_KEY 4
#define FUNGIBLE 2
#define NAME 32
#define SYMBOL 10
#define URI 200
#define DATA_AFTER_TEXTS 7  // seller fee, three options, mutability, one option
#define EDITION_NONCE 255

enum MetadataError { UNKNOWN_INSTRUCTION = 100, WRONG_METADATA, NOT_MINT_AUTHORITY, TEXT_TOO_LONG };
enum Place { METADATA, MINT, AUTHORITY, PAYER, UPDATE_AUTHORITY };

static const u8 METADATA_SEED[] = "metadata";

typedef struct {
    const u8 *from, *end;
    u8 *to;
} Copy;

// Copy a text of the instruction to a place of fixed size in the account.
static NOINLINE u64 copy_text(Copy *copy, u64 size) {
    REQUIRE(copy->end - copy->from >= 4, BAD_INSTRUCTION);
    u64 length = read_u32(copy->from);
    copy->from += 4;
    REQUIRE(length <= size, TEXT_TOO_LONG);
    REQUIRE((u64)(copy->end - copy->from) >= length, BAD_INSTRUCTION);
    write_u32(copy->to, (u32)size);
    sol_memcpy_(copy->to + 4, copy->from, length);
    copy->from += length;
    copy->to += 4 + size;
    return OK;
}

static NOINLINE u64 create(const Input *in) {
    const Account *a = in->accounts, *metadata = &a[METADATA], *mint = &a[MINT];
    u8 address[KEY], bump = 0;
    Bytes seeds[4] = {{METADATA_SEED, 8}, {in->program, KEY}, {mint->key, KEY}, {&bump, 1}};
    REQUIRE(sol_try_find_program_address(seeds, 3, in->program, address, &bump) == 0, WRONG_METADATA);
    REQUIRE(same_key(address, metadata->key) && same_key(metadata->owner, SYSTEM_PROGRAM), WRONG_METADATA);
    REQUIRE(data_length(mint) >= 82 && read_u32(mint->data) == 1, NOT_MINT_AUTHORITY);
    REQUIRE(a[AUTHORITY].signer && same_key(mint->data + 4, a[AUTHORITY].key), NOT_MINT_AUTHORITY);
    SignerSeeds signer = {seeds, 4};
    TRY(open_account(&a[PAYER], metadata, ACCOUNT_BYTES, &signer, in->program));
    u8 *data = metadata->data;
    data[0] = METADATA_KEY;
    sol_memcpy_(data + 1, a[UPDATE_AUTHORITY].key, KEY);
    sol_memcpy_(data + 1 + KEY, mint->key, KEY);
    Copy copy = {in->data + 1, in->data + in->length, data + 1 + 2 * KEY};
    TRY(copy_text(&copy, NAME));
    TRY(copy_text(&copy, SYMBOL));
    TRY(copy_text(&copy, URI));
    REQUIRE(copy.end - copy.from == DATA_AFTER_TEXTS, BAD_INSTRUCTION);
    u8 *rest = copy.to;
    sol_memcpy_(rest, copy.from, 2);
    rest[4] = copy.from[5];  // after "no creators" and "not sold"
    rest[5] = 1;
    rest[6] = EDITION_NONCE;
    rest[7] = 1;
    rest[8] = FUNGIBLE;
    return OK;
}

u64 entrypoint(u8 *input) {
    Input in;
    TRY(parse_input(input, &in));
    REQUIRE(in.count >= 6 && in.length >= 1 && in.data[0] == CREATE_METADATA_V3, UNKNOWN_INSTRUCTION);
    return create(&in);
}
