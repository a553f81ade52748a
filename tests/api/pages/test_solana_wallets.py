"""Pages of registrations on Solana, changed by Solana wallets that signed in."""

from solders.keypair import Keypair

from tests.fixtures.solana_reads import (
    CAIP2,
    MANAGER,
    OWNER,
    SolanaReads,
    add_solana_registration,
    solana_address,
)


async def test_the_owner_and_managers_change_the_page_with_a_solana_session(solana_reads: SolanaReads) -> None:
    service = solana_reads.service
    path = "/api/v2/registration/7/profile?chain=sol"
    for wallet, website in ((OWNER, "https://one.example"), (MANAGER, "https://two.example")):
        changed = await service.anonymous.put(
            path, json={"website": website}, headers=await solana_reads.session(wallet)
        )
        assert (changed.status_code, changed.json()["website"]) == (200, website), changed.text
    assert (await service.get("/registration/BONK/solana")).json()["metadata"]["website"] == "https://two.example"
    events = solana_reads.store.execute(
        "SELECT payload ->> 'chain' AS chain FROM event_log WHERE type = 'profile.updated'"
    ).fetchall()
    assert [event["chain"] for event in events] == [CAIP2, CAIP2]


async def test_no_other_wallet_changes_the_page(solana_reads: SolanaReads) -> None:
    service, store = solana_reads.service, solana_reads.store
    stranger = solana_address("stranger")
    add_solana_registration(store, "OTHER", token_id=8, token_address=solana_address("x"), owner=stranger, log_index=8)
    evm = await solana_reads.sign_in.token()
    asked = [
        ("/registration/7/profile?chain=solana", await solana_reads.session(Keypair())),
        ("/registration/7/profile?chain=solana", {"Authorization": f"Bearer {evm}"}),
        ("/registration/8/profile?chain=solana", await solana_reads.session(OWNER)),
        ("/registration/1/profile?chain=base", await solana_reads.session(OWNER)),
    ]
    for path, headers in asked:
        refused = await service.anonymous.put(f"/api/v2{path}", json={"name": "Mine"}, headers=headers)
        assert (refused.status_code, refused.json()["code"]) == (403, "FORBIDDEN"), path


async def test_a_domain_is_proven_for_the_registration_on_solana(solana_reads: SolanaReads) -> None:
    answer = await solana_reads.service.anonymous.post(
        "/api/v2/registration/7/domains?chain=solana", json={"domain": "bonk.example"},
        headers=await solana_reads.session(),
    )  # fmt: skip
    assert answer.status_code in (200, 201), answer.text
    assert answer.json()["recordValue"].startswith(f"{CAIP2}/7/")
