"""Consents to migrations: only who controls the senior token can name its successor, and the store keeps it once."""

from typing import Any

import httpx
from eth_account.signers.local import LocalAccount

from tests.fixtures.claims import ClaimChain, sign
from tests.fixtures.clocks import ManualClock
from tests.fixtures.service import Serve, Service

ANOTHER = "0x" + "77" * 20


def pair(senior: str, token: str, wallet: LocalAccount) -> dict[str, Any]:
    return {"chainId": 8453, "seniorAddress": senior, "tokenAddress": token, "walletAddress": wallet.address}


async def consent(
    service: Service, senior: str, token: str, wallet: LocalAccount, key: LocalAccount | None = None, **changes: Any
) -> httpx.Response:
    """Ask for the message, sign it and hand it in; ``changes`` are made to what is handed in."""
    asked = await service.post("/claim/migration/message", pair(senior, token, wallet))
    assert asked.status_code == 200, asked.text
    message = asked.json()
    signature = sign(key or wallet, message["message"])
    given = {**pair(senior, token, wallet), "signature": signature, "timestamp": message["timestamp"], **changes}
    return await service.post("/claim/migration", given)


def kept(claim_chain: ClaimChain) -> list[dict[str, Any]]:
    return claim_chain.store.execute("SELECT * FROM copy_migration_consent").fetchall()


async def test_the_owner_of_the_senior_token_names_its_successor_once(
    claim_chain: ClaimChain, claim_service: Service
) -> None:
    wallet = claim_chain.wallet()
    senior = claim_chain.deploy(claim_chain.wallet(), "OwnedToken", "Old", "OLD", 18, 10**24, wallet.address)
    token = claim_chain.token(claim_chain.wallet(), "OLD")
    first, again = [await consent(claim_service, senior, token, wallet) for _ in range(2)]
    assert (first.status_code, first.json()["verificationMethod"]) == (200, "owner")
    assert again.json()["signedAt"] == first.json()["signedAt"]
    (row,) = kept(claim_chain)
    assert (row["senior_address"], row["address"], row["wallet"]) == (senior, token, wallet.address.lower())
    waiting = claim_chain.store.execute("SELECT token_address FROM presented_change").fetchall()
    assert [change["token_address"] for change in waiting] == [token]


async def test_the_deployer_may_consent(claim_chain: ClaimChain, claim_service: Service) -> None:
    wallet = claim_chain.wallet()
    senior = claim_chain.token(wallet, "MADE", holder=ANOTHER)
    claim_chain.index()
    answer = await consent(claim_service, senior, ANOTHER, wallet)
    assert answer.json()["verificationMethod"] == "deployer"


async def test_a_majority_of_the_supply_does_not_speak_for_the_token(
    claim_chain: ClaimChain, claim_service: Service
) -> None:
    whale = claim_chain.wallet()
    senior = claim_chain.token(claim_chain.wallet(), "BORROWED", holder=whale.address)
    claim_chain.index()
    answer = await consent(claim_service, senior, ANOTHER, whale)
    assert (answer.status_code, answer.json()["code"]) == (403, "CLAIM_UNAUTHORIZED")
    assert kept(claim_chain) == []


async def test_the_successors_own_owner_proves_nothing(claim_chain: ClaimChain, claim_service: Service) -> None:
    thief = claim_chain.wallet()
    senior = claim_chain.token(claim_chain.wallet(), "REAL")
    clone = claim_chain.deploy(thief, "OwnedToken", "Real", "REAL", 18, 10**24, thief.address)
    claim_chain.index()
    answer = await consent(claim_service, senior, clone, thief)
    assert (answer.status_code, answer.json()["code"]) == (403, "CLAIM_UNAUTHORIZED")


async def test_a_signature_counts_for_its_own_message_only(claim_chain: ClaimChain, claim_service: Service) -> None:
    wallet = claim_chain.wallet()
    senior = claim_chain.deploy(wallet, "OwnedToken", "Old", "OLD", 18, 10**24, wallet.address)
    other = await consent(claim_service, senior, ANOTHER, wallet, tokenAddress="0x" + "78" * 20)
    stranger = await consent(claim_service, senior, ANOTHER, wallet, key=claim_chain.wallet())
    assert [one.status_code for one in (other, stranger)] == [403, 403]
    assert "signature" in other.json()["error"]
    # A claim's message is not a consent.
    claim = {"symbol": "OLD", "chainId": 8453, "tokenAddress": senior, "claimerAddress": wallet.address}
    message = (await claim_service.post("/claim/message", claim)).json()
    body = {**pair(senior, ANOTHER, wallet), "signature": sign(wallet, message["message"])}
    refused = await claim_service.post("/claim/migration", {**body, "timestamp": message["timestamp"]})
    assert refused.status_code == 403
    assert kept(claim_chain) == []


async def test_an_old_message_and_a_token_that_follows_itself_are_refused(
    claim_chain: ClaimChain, serve: Serve, warehouse_url: str
) -> None:
    clock, wallet = ManualClock(), claim_chain.wallet()
    senior = claim_chain.deploy(wallet, "OwnedToken", "Old", "OLD", 18, 10**24, wallet.address)
    async with serve(chains=claim_chain.chains_path, clickhouse_url=warehouse_url, clock=clock) as service:
        asked = (await service.post("/claim/migration/message", pair(senior, ANOTHER, wallet))).json()
        clock.advance(minutes=11)
        signed = {"signature": sign(wallet, asked["message"]), "timestamp": asked["timestamp"]}
        late = await service.post("/claim/migration", {**pair(senior, ANOTHER, wallet), **signed})
        itself = await service.post("/claim/migration/message", pair(senior, senior, wallet))
    assert (late.status_code, late.json()["code"]) == (400, "VALIDATION_INVALID_INPUT")
    assert late.json()["error"].startswith("timestamp")
    assert (itself.status_code, itself.json()["error"][:12]) == (400, "tokenAddress")


async def test_a_silent_node_is_no_refusal(claim_chain: ClaimChain, serve: Serve, warehouse_url: str) -> None:
    wallet = claim_chain.wallet()
    claim_chain.chains_path.write_text(
        claim_chain.chains_path.read_text().replace(claim_chain.node.url, "http://127.0.0.1:9")
    )
    async with serve(chains=claim_chain.chains_path, clickhouse_url=warehouse_url) as service:
        answer = await consent(service, ANOTHER, "0x" + "79" * 20, wallet)
    assert (answer.status_code, answer.json()["code"]) == (503, "TOKEN_UNVERIFIED")
    assert int(answer.headers["retry-after"]) > 0
