// What the owner of a registration, and whom the owner trusts, may do.
#pragma once

// Accounts: owner (signer, writable), crown (writable), this program.
static NOINLINE u64 release(Input *in) {
    EXPECT(3, 0);
    Crown *crown;
    TRY(load_crown(in, ACCOUNT(1), &crown));
    REQUIRE(ACCOUNT(0)->signer, MISSING_SIGNATURE);
    REQUIRE(same_key(crown->owner, ACCOUNT(0)->key), NOT_OWNER);
    Record r;
    record_of_crown(&r, RELEASED, crown);
    TRY(emit_of_crown(in, &r, ACCOUNT(1)));
    return end_registration(ACCOUNT(1), crown, ACCOUNT(0), &in->clock);
}

// Accounts: owner or manager (signer), crown (writable), this program. Data: kind (1), enabled (1), account (32).
// The owner names managers; the owner and managers name maintainers.
static NOINLINE u64 set_role(Input *in) {
    EXPECT(3, 2 + KEY);
    Crown *crown;
    TRY(load_crown(in, ACCOUNT(1), &crown));
    REQUIRE(ACCOUNT(0)->signer, MISSING_SIGNATURE);
    u8 kind = in->data[1], enabled = in->data[2];
    const u8 *account = in->data + 3;
    REQUIRE((kind == MANAGER || kind == MAINTAINER) && enabled <= 1, BAD_INSTRUCTION);
    if (kind == MANAGER)
        REQUIRE(same_key(crown->owner, ACCOUNT(0)->key), NOT_OWNER);
    else
        REQUIRE(manages(crown, ACCOUNT(0)), NOT_MANAGER);
    TRY(enabled ? grant_role(crown, kind, account) : revoke_role(crown, kind, account));
    Record r;
    record_of_crown(&r, ROLE_CHANGED, crown);
    record_bytes(&r, in->data + 1, 2 + KEY);
    return emit_of_crown(in, &r, ACCOUNT(1));
}

// Accounts: owner or manager (signer), crown (writable), this program. Data: URI (its length in 4 bytes, and its text: printable
// ASCII; empty removes it).
static NOINLINE u64 set_profile(Input *in) {
    REQUIRE(in->count == 3 && in->length >= 5, BAD_INSTRUCTION);
    u32 length = read_u32(in->data + 1);
    REQUIRE(in->length == 5 + (u64)length, BAD_INSTRUCTION);
    REQUIRE(length <= MAX_URI, BAD_URI);
    Crown *crown;
    TRY(load_crown(in, ACCOUNT(1), &crown));
    REQUIRE(ACCOUNT(0)->signer, MISSING_SIGNATURE);
    REQUIRE(manages(crown, ACCOUNT(0)), NOT_MANAGER);
    const u8 *uri = in->data + 5;
    for (u64 i = 0; i < length; i++) REQUIRE(uri[i] > 0x20 && uri[i] < 0x7f, BAD_URI);
    sol_memset_(crown->uri, 0, MAX_URI);
    sol_memcpy_(crown->uri, uri, length);
    crown->uri_length = (u8)length;
    Record r;
    record_of_crown(&r, PROFILE_CHANGED, crown);
    record_bytes(&r, &length, 4);
    record_bytes(&r, uri, length);
    return emit_of_crown(in, &r, ACCOUNT(1));
}

// Accounts: owner (signer), crown (writable), this program. Data: chain id (8), token id (8); zeros remove the peer.
static NOINLINE u64 set_peer(Input *in) {
    EXPECT(3, 16);
    Crown *crown;
    TRY(load_crown(in, ACCOUNT(1), &crown));
    REQUIRE(ACCOUNT(0)->signer, MISSING_SIGNATURE);
    REQUIRE(same_key(crown->owner, ACCOUNT(0)->key), NOT_OWNER);
    crown->peer_chain_id = read_u64(in->data + 1);
    crown->peer_token_id = read_u64(in->data + 9);
    Record r;
    record_of_crown(&r, PEER_CHANGED, crown);
    record_bytes(&r, in->data + 1, 16);
    return emit_of_crown(in, &r, ACCOUNT(1));
}
