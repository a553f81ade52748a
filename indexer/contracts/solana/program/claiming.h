// Making the config, and registering a symbol.
#pragma once

// Accounts: payer (signer, writable), program (signer), config (writable), system program.
// Data: cluster, signer, guardian, treasury (32 each), end, objection and signer delay, free a day (4 each), paid from (8).
// The program's own key must sign, which only its deployer can: nobody can initialise it in between.
static NOINLINE u64 initialize(Input *in) {
    EXPECT(4, 4 * KEY + 4 * 4 + 8);
    const Account *payer = ACCOUNT(0), *program = ACCOUNT(1), *account = ACCOUNT(2);
    REQUIRE(payer->signer && program->signer, MISSING_SIGNATURE);
    REQUIRE(same_key(program->key, in->program), MISSING_SIGNATURE);
    REQUIRE(same_key(ACCOUNT(3)->key, SYSTEM_PROGRAM), WRONG_SYSTEM_PROGRAM);
    REQUIRE(same_key(account->owner, SYSTEM_PROGRAM), ALREADY_INITIALIZED);
    u8 address[KEY], bump = 0;
    Bytes seeds[2] = {{CONFIG_SEED, 6}, {&bump, 1}};
    REQUIRE(sol_try_find_program_address(seeds, 1, in->program, address, &bump) == 0, WRONG_CONFIG);
    REQUIRE(same_key(address, account->key), WRONG_CONFIG);
    SignerSeeds signer = {seeds, 2};
    TRY(open_account(payer, account, sizeof(Config), &signer, in->program));
    Config *config = (Config *)account->data;
    const u8 *data = in->data + 1;
    config->kind = CONFIG_KIND;
    config->version = VERSION;
    config->bump = bump;
    sol_memcpy_(config->cluster, data, KEY);
    sol_memcpy_(config->signer, data + 32, KEY);
    sol_memcpy_(config->guardian, data + 64, KEY);
    sol_memcpy_(config->treasury, data + 96, KEY);
    config->end_delay = read_u32(data + 128);
    config->objection_delay = read_u32(data + 132);
    config->signer_delay = read_u32(data + 136);
    config->free_per_day = read_u32(data + 140);
    config->paid_from = read_u64(data + 144);
    return OK;
}

// The account of a symbol at its derived address: made, or grown again where only its header was left.
static NOINLINE u64 open_crown(Input *in, const Account *payer, const Account *account, const u8 *symbol, u64 length) {
    u8 address[KEY], bump = 0;
    Bytes seeds[3];
    crown_seeds(seeds, symbol, length, &bump);
    REQUIRE(sol_try_find_program_address(seeds, 2, in->program, address, &bump) == 0, WRONG_CROWN);
    REQUIRE(same_key(address, account->key), WRONG_CROWN);
    if (same_key(account->owner, in->program)) {
        REQUIRE(data_length(account) == sizeof(CrownHeader), SYMBOL_TAKEN);
        u64 rent = rent_of(sizeof(Crown));
        if (*account->lamports < rent) TRY(pay(payer, account, rent - *account->lamports));
        resize(account, sizeof(Crown));
        return OK;
    }
    REQUIRE(same_key(account->owner, SYSTEM_PROGRAM), WRONG_CROWN);
    SignerSeeds signer = {seeds, 3};
    TRY(open_account(payer, account, sizeof(Crown), &signer, in->program));
    CrownHeader *header = (CrownHeader *)account->data;
    header->kind = CROWN_KIND;
    header->version = VERSION;
    header->bump = bump;
    header->symbol_length = (u8)length;
    sol_memcpy_(header->symbol, symbol, length);
    return OK;
}

static NOINLINE u64 require_authorization(Input *in, const Config *config, Crown *crown, const u8 *data) {
    u64 fee = read_u64(data), deadline = read_u64(data + 8), nonce = read_u64(data + 16);
    Statement s;
    begin_statement(&s, CLAIM, config, in->program);
    add_bytes(&s, ACCOUNT(0)->key, KEY);
    add_bytes(&s, ACCOUNT(4)->key, KEY);
    add_bytes(&s, &crown->header.symbol_length, 1 + MAX_SYMBOL);
    add_u64(&s, fee);
    add_u64(&s, deadline);
    add_u64(&s, nonce);
    TRY(require_service(ACCOUNT(5), 1, &s, config));
    return use_nonce(&crown->header, nonce, (i64)deadline, &in->clock);
}

// Accounts: claimer (signer, writable), config (writable), crown (writable), treasury (writable), mint, instructions
// sysvar, system program, this program. Data: fee (8), deadline (8), nonce (8), symbol (its length in 4 bytes, and its text).
static NOINLINE u64 claim(Input *in) {
    REQUIRE(in->count == 8 && in->length >= 29, BAD_INSTRUCTION);
    REQUIRE(in->length == 29 + (u64)read_u32(in->data + 25), BAD_INSTRUCTION);
    const Account *claimer = ACCOUNT(0), *treasury = ACCOUNT(3), *mint = ACCOUNT(4);
    REQUIRE(claimer->signer, MISSING_SIGNATURE);
    REQUIRE(same_key(ACCOUNT(6)->key, SYSTEM_PROGRAM), WRONG_SYSTEM_PROGRAM);
    Config *config;
    TRY(load_config(in, ACCOUNT(1), &config));
    REQUIRE(same_key(treasury->key, config->treasury), WRONG_TREASURY);
    REQUIRE(same_key(mint->owner, TOKEN_PROGRAM) || same_key(mint->owner, TOKEN_2022_PROGRAM), WRONG_MINT);
    const u8 *symbol = in->data + 29;
    u64 length = in->length - 29, fee = read_u64(in->data + 1);
    TRY(require_symbol(symbol, length));
    TRY(open_crown(in, claimer, ACCOUNT(2), symbol, length));
    Crown *crown = (Crown *)ACCOUNT(2)->data;
    TRY(require_authorization(in, config, crown, in->data + 1));
    TRY(count_free(config, fee, &in->clock));
    begin_registration(config, crown, claimer->key, mint->key, &in->clock);
    if (fee > 0) {
        TRY(pay(claimer, treasury, fee));
        REQUIRE(*treasury->lamports >= rent_of(data_length(treasury)), TREASURY_BELOW_RENT);
    }
    Record r;
    record_of_crown(&r, REGISTERED, crown);
    record_bytes(&r, crown->mint, KEY);
    record_bytes(&r, &fee, 8);
    return emit_of_crown(in, &r, ACCOUNT(2));
}
