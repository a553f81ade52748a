// Deals: a registration goes from its holder to an offerer, who pays for it in the same instruction.
#pragma once

enum TokenInstruction { TRANSFER_CHECKED = 12 };

#define MINT_BYTES 82
#define MINT_DECIMALS_AT 44
#define TOKEN_ACCOUNT_BYTES 165
#define TOKEN_OWNER_AT 32
#define TOKEN_AMOUNT_AT 64

// The terms of a deal as instruction data: deal (32), token id (8), amount (8), then deadline (8) and nonce (8) of the
// service's authorisation.
#define TERMS_BYTES (KEY + 8 + 8 + 8 + 8)

// Where settle has its accounts.
enum SettleAccount { HOLDER, OFFERER, SETTLE_CONFIG, SETTLE_CROWN, SOURCE, CURRENCY, DESTINATION };

// Pay an amount from the offerer's token account to one of the holder's. All of it must arrive. Only the first token
// program is called: mints of the second can take a fee, or call other programs.
static NOINLINE u64 pay_tokens(Input *in, u64 amount) {
    const Account *mint = ACCOUNT(CURRENCY), *to = ACCOUNT(DESTINATION);
    REQUIRE(same_key(mint->owner, TOKEN_PROGRAM) && data_length(mint) == MINT_BYTES, WRONG_CURRENCY);
    REQUIRE(same_key(to->owner, TOKEN_PROGRAM) && data_length(to) == TOKEN_ACCOUNT_BYTES, WRONG_TOKEN_ACCOUNT);
    REQUIRE(same_key(to->data, mint->key), WRONG_TOKEN_ACCOUNT);
    REQUIRE(same_key(to->data + TOKEN_OWNER_AT, ACCOUNT(HOLDER)->key), WRONG_TOKEN_ACCOUNT);
    u64 before = read_u64(to->data + TOKEN_AMOUNT_AT);
    u8 data[10] = {TRANSFER_CHECKED};
    write_u64(data + 1, amount);
    data[9] = mint->data[MINT_DECIMALS_AT];
    const Account *used[4] = {ACCOUNT(SOURCE), mint, to, ACCOUNT(OFFERER)};
    Meta metas[4];
    AccountInfo infos[4];
    for (u64 i = 0; i < 4; i++) {
        metas[i].key = used[i]->key;
        metas[i].writable = i == 0 || i == 2;
        metas[i].signer = i == 3;
        account_info(used[i], &infos[i]);
    }
    Instruction call = {TOKEN_PROGRAM, metas, 4, data, sizeof(data)};
    TRY(sol_invoke_signed_c(&call, infos, 4, 0, 0));
    REQUIRE(read_u64(to->data + TOKEN_AMOUNT_AT) - before == amount, WRONG_PAYMENT);
    return OK;
}

static NOINLINE u64 require_settlement(Input *in, const Config *config, Crown *crown) {
    const u8 *terms = in->data + 1;
    REQUIRE(read_u64(terms + 32) == crown->token_id, WRONG_TOKEN_ID);
    Statement s;
    begin_statement(&s, SETTLEMENT, config, in->program);
    add_bytes(&s, terms, KEY + 8);  // deal, token id
    add_bytes(&s, ACCOUNT(OFFERER)->key, KEY);
    add_bytes(&s, ACCOUNT(CURRENCY)->key, KEY);
    add_bytes(&s, terms + KEY + 8, 8 + 8 + 8);  // amount, deadline, nonce
    TRY(require_service(ACCOUNT(8), 1, &s, config));
    return use_nonce(&crown->header, read_u64(terms + 56), (i64)read_u64(terms + 48), &in->clock);
}

// Accounts: holder (signer, writable), offerer (signer, writable), config (writable), crown (writable), the offerer's
// token account (writable), the currency's mint, the holder's token account (writable), token program, instructions
// sysvar, system program, this program. Data: the terms. The instruction before is the service's authorisation.
// Both parties sign the transaction, so neither pays, nor gives anything up, without the other. The offerer pays the
// rent, and the holder gets back what they paid. Roles, profile, peer and a pending end are cleared, and the
// registration gets a new token id.
static NOINLINE u64 settle(Input *in) {
    EXPECT(11, TERMS_BYTES);
    Config *config;
    Crown *crown;
    const Account *holder = ACCOUNT(HOLDER), *offerer = ACCOUNT(OFFERER);
    const u8 *terms = in->data + 1;
    REQUIRE(holder->signer && offerer->signer, MISSING_SIGNATURE);
    TRY(load_config(in, ACCOUNT(SETTLE_CONFIG), &config));
    TRY(load_crown(in, ACCOUNT(SETTLE_CROWN), &crown));
    REQUIRE(same_key(ACCOUNT(9)->key, SYSTEM_PROGRAM), WRONG_SYSTEM_PROGRAM);
    REQUIRE(same_key(holder->key, crown->owner), NOT_OWNER);
    TRY(require_settlement(in, config, crown));
    u64 ended = crown->token_id, amount = read_u64(terms + 40);
    u8 mint[KEY];
    sol_memcpy_(mint, crown->mint, KEY);
    Record r;
    record_begin(&r, SETTLED);
    record_bytes(&r, &ended, 8);
    begin_registration(config, crown, offerer->key, mint, &in->clock);
    record_bytes(&r, &crown->token_id, 8);
    record_bytes(&r, crown->header.symbol - 1, 1 + MAX_SYMBOL);
    record_bytes(&r, holder->key, KEY);
    record_bytes(&r, offerer->key, KEY);
    record_bytes(&r, mint, KEY);
    record_bytes(&r, terms, KEY);  // deal
    record_bytes(&r, ACCOUNT(CURRENCY)->key, KEY);
    record_bytes(&r, &amount, 8);
    TRY(pay(offerer, holder, rent_of(sizeof(Crown)) - rent_of(sizeof(CrownHeader))));
    TRY(pay_tokens(in, amount));
    return emit_of_crown(in, &r, ACCOUNT(SETTLE_CROWN));
}
