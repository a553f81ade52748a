// A constant product exchange for the local chain: pools of two tokens, of SPL Token or Token-2022.
//
// A pool is an account at the derived address ["pool", creator, mint a, mint b]. It owns two vaults, and its reserves are
// what they hold. Only its creator adds and removes liquidity, so there are no shares to account for. All instructions
// take the same accounts:
//
//   0 who (signer)   1 pool   2 vault a   3 vault b   4 and 5 who's token accounts   6 mint a   7 mint b
//   8 and 9 the mints' token programs   10 system program (create only)
//
// Data: one byte says which instruction, then little-endian numbers.
//   0 create    fee (u32, parts per million)
//   1 deposit   amount a (u64), amount b (u64)
//   2 withdraw  amount a (u64), amount b (u64)
//   3 swap      from b to a (u8), amount paid (u64), least amount received (u64)
#include "accounts.h"

enum MarketInstruction { CREATE, DEPOSIT, WITHDRAW, SWAP };
enum MarketError { NOT_SIGNED = 100, WRONG_POOL, WRONG_VAULT, POOL_EXISTS, FEE_TOO_HIGH, TOO_LITTLE_RECEIVED, NOT_CREATOR };
enum Place { WHO, POOL, VAULT, HOLDING = 4, MINT = 6, TOKEN_PROGRAM = 8 };

#define MILLION 1000000UL
#define TRANSFER_CHECKED 12
#define TOKEN_OWNER_AT 32
#define TOKEN_AMOUNT_AT 64
#define MINT_DECIMALS_AT 44

static const u8 POOL_SEED[] = "pool";

typedef struct {
    u8 creator[KEY];
    u8 mints[2][KEY];
    u8 vaults[2][KEY];
    u32 fee_ppm;
    u8 bump;
} Pool;

static void pool_seeds(Bytes *seeds, const u8 *creator, const u8 *mint_a, const u8 *mint_b, const u8 *bump) {
    seeds[0] = (Bytes){POOL_SEED, 4};
    seeds[1] = (Bytes){creator, KEY};
    seeds[2] = (Bytes){mint_a, KEY};
    seeds[3] = (Bytes){mint_b, KEY};
    seeds[4] = (Bytes){bump, 1};
}

static u64 amount_of(const Account *token) { return read_u64(token->data + TOKEN_AMOUNT_AT); }

// Whether `token` holds `mint` for `owner`. The mint is an account of the token program, which alone can have made both.
static int holds(const Account *token, const Account *mint, const u8 *owner) {
    return data_length(token) >= TOKEN_AMOUNT_AT + 8 && same_key(token->owner, mint->owner) &&
           same_key(token->data, mint->key) && same_key(token->data + TOKEN_OWNER_AT, owner);
}

static NOINLINE u64 load_pool(const Input *in, Pool **pool) {
    const Account *a = &in->accounts[POOL];
    REQUIRE(same_key(a->owner, in->program) && data_length(a) == sizeof(Pool), WRONG_POOL);
    *pool = (Pool *)a->data;
    for (u64 side = 0; side < 2; side++) {
        REQUIRE(same_key(in->accounts[VAULT + side].key, (*pool)->vaults[side]), WRONG_VAULT);
        REQUIRE(same_key(in->accounts[MINT + side].key, (*pool)->mints[side]), WRONG_POOL);
    }
    return OK;
}

// Move tokens of one side; `signer` are the pool's seeds where the pool pays.
static NOINLINE u64 transfer(const Input *in, u64 side, u64 amount, const SignerSeeds *signer) {
    if (amount == 0) return OK;
    const Account *accounts = in->accounts;
    const Account *vault = &accounts[VAULT + side], *holding = &accounts[HOLDING + side];
    const Account *mint = &accounts[MINT + side];
    const Account *from = signer ? vault : holding, *to = signer ? holding : vault;
    const Account *authority = &accounts[signer ? POOL : WHO];
    Meta metas[4] = {{from->key, 1, 0}, {mint->key, 0, 0}, {to->key, 1, 0}, {authority->key, 0, 1}};
    AccountInfo infos[5];
    account_info(from, &infos[0]);
    account_info(mint, &infos[1]);
    account_info(to, &infos[2]);
    account_info(authority, &infos[3]);
    account_info(&accounts[TOKEN_PROGRAM + side], &infos[4]);
    u8 data[10];
    data[0] = TRANSFER_CHECKED;
    write_u64(data + 1, amount);
    data[9] = mint->data[MINT_DECIMALS_AT];
    Instruction call = {accounts[TOKEN_PROGRAM + side].key, metas, 4, data, sizeof(data)};
    return sol_invoke_signed_c(&call, infos, 5, signer, signer ? 1 : 0);
}

static NOINLINE u64 pay_out(const Input *in, const Pool *pool, u64 side, u64 amount) {
    Bytes seeds[5];
    pool_seeds(seeds, pool->creator, pool->mints[0], pool->mints[1], &pool->bump);
    SignerSeeds signer = {seeds, 5};
    return transfer(in, side, amount, &signer);
}

static NOINLINE u64 create(const Input *in) {
    const Account *accounts = in->accounts, *a = &accounts[POOL];
    REQUIRE(in->count == 11 && in->length == 5, BAD_INSTRUCTION);
    REQUIRE(!same_key(accounts[MINT].key, accounts[MINT + 1].key), WRONG_POOL);
    u32 fee = read_u32(in->data + 1);
    REQUIRE(fee < MILLION, FEE_TOO_HIGH);
    REQUIRE(same_key(a->owner, SYSTEM_PROGRAM), POOL_EXISTS);
    u8 address[KEY], bump = 0;
    Bytes seeds[5];
    pool_seeds(seeds, accounts[WHO].key, accounts[MINT].key, accounts[MINT + 1].key, &bump);
    REQUIRE(sol_try_find_program_address(seeds, 4, in->program, address, &bump) == 0, WRONG_POOL);
    REQUIRE(same_key(address, a->key), WRONG_POOL);
    for (u64 side = 0; side < 2; side++) {
        REQUIRE(holds(&accounts[VAULT + side], &accounts[MINT + side], address), WRONG_VAULT);
    }
    SignerSeeds signer = {seeds, 5};
    TRY(open_account(&accounts[WHO], a, sizeof(Pool), &signer, in->program));
    Pool *pool = (Pool *)a->data;
    sol_memcpy_(pool->creator, accounts[WHO].key, KEY);
    for (u64 side = 0; side < 2; side++) {
        sol_memcpy_(pool->mints[side], accounts[MINT + side].key, KEY);
        sol_memcpy_(pool->vaults[side], accounts[VAULT + side].key, KEY);
    }
    pool->fee_ppm = fee;
    pool->bump = bump;
    return OK;
}

static NOINLINE u64 change_liquidity(const Input *in, int adds) {
    REQUIRE(in->count == 10 && in->length == 17, BAD_INSTRUCTION);
    Pool *pool;
    TRY(load_pool(in, &pool));
    REQUIRE(same_key(pool->creator, in->accounts[WHO].key), NOT_CREATOR);
    for (u64 side = 0; side < 2; side++) {
        u64 amount = read_u64(in->data + 1 + 8 * side);
        TRY(adds ? transfer(in, side, amount, 0) : pay_out(in, pool, side, amount));
    }
    return OK;
}

// a * b / c, rounded down, for a result below 2^64. The target has no 128 bit arithmetic.
static NOINLINE u64 multiply_divide(u64 a, u64 b, u64 c) {
    u64 quotient = 0, remainder = 0;  // of a times the bits of b seen so far
    u64 whole = a / c, part = a % c;
    for (int bit = 63; bit >= 0; bit--) {
        quotient <<= 1;
        u64 carry = remainder >> 63;
        remainder <<= 1;
        if (carry || remainder >= c) {
            remainder -= c;
            quotient++;
        }
        if (b >> bit & 1) {
            quotient += whole;
            u64 sum = remainder + part;
            if (sum < remainder || sum >= c) {
                sum -= c;
                quotient++;
            }
            remainder = sum;
        }
    }
    return quotient;
}

static NOINLINE u64 swap(const Input *in) {
    REQUIRE(in->count == 10 && in->length == 18 && in->data[1] <= 1, BAD_INSTRUCTION);
    Pool *pool;
    TRY(load_pool(in, &pool));
    u64 paid_side = in->data[1], bought_side = 1 - paid_side;
    const Account *paid_vault = &in->accounts[VAULT + paid_side];
    u64 before = amount_of(paid_vault), reserve = amount_of(&in->accounts[VAULT + bought_side]);
    TRY(transfer(in, paid_side, read_u64(in->data + 2), 0));
    u64 received = amount_of(paid_vault) - before;  // less than was sent where the token takes a fee
    u64 counted = received - multiply_divide(received, pool->fee_ppm, MILLION);
    u64 bought = counted == 0 ? 0 : multiply_divide(reserve, counted, before + counted);
    REQUIRE(bought > 0 && bought >= read_u64(in->data + 10), TOO_LITTLE_RECEIVED);
    return pay_out(in, pool, bought_side, bought);
}

u64 entrypoint(u8 *input) {
    Input in;
    TRY(parse_input(input, &in));
    REQUIRE(in.length >= 1 && in.count >= 10, BAD_INSTRUCTION);
    REQUIRE(in.accounts[WHO].signer, NOT_SIGNED);
    switch (in.data[0]) {
        case CREATE: return create(&in);
        case DEPOSIT: return change_liquidity(&in, 1);
        case WITHDRAW: return change_liquidity(&in, 0);
        case SWAP: return swap(&in);
        default: return BAD_INSTRUCTION;
    }
}
