// The registry of symbols on Solana. The first byte of an instruction's data says which it is (idl.json); accounts come
// in the order listed there. Where an event is recorded, the program's own account comes last.
#include "crowns.h"

typedef u64 (*Handler)(Input *in);

#define ACCOUNT(i) (&in->accounts[i])
#define EXPECT(accounts, bytes) REQUIRE(in->count == (accounts) && in->length == 1 + (bytes), BAD_INSTRUCTION)

#include "claiming.h"
#include "ending.h"
#include "governing.h"
#include "owning.h"
#include "settling.h"

static NOINLINE u64 dispatch(Input *in) {
    switch (in->data[0]) {
        case 0: return initialize(in);
        case 1: return claim(in);
        case 2: return release(in);
        case 3: return set_role(in);
        case 4: return set_profile(in);
        case 5: return set_peer(in);
        case 6: return announce_end(in);
        case 7: return object_to_end(in);
        case 8: return confirm_end(in);
        case 9: return veto_end(in);
        case 10: return withdraw_end(in);
        case 11: return execute_end(in);
        case 12: return announce_signer(in);
        case 13: return cancel_signer(in);
        case 14: return suspend_signer(in);
        case 15: return activate_signer(in);
        case 16: return offer_guardian(in);
        case 17: return accept_guardian(in);
        case 18: return set_limits(in);
        case 19: return settle(in);
        default: return BAD_INSTRUCTION;
    }
}

u64 entrypoint(u8 *input) {
    Input in;
    TRY(parse_input(input, &in));
    REQUIRE(in.length >= 1, BAD_INSTRUCTION);
    if (in.length > sizeof(EVENT_TAG) && same(in.data, EVENT_TAG, sizeof(EVENT_TAG))) return accept_event(&in);
    return dispatch(&in);
}
