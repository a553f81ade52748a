"""Registration records and statuses."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from eth_utils.address import to_checksum_address
from psycopg.types.json import Jsonb

from tests.factories.registrations import ARBITRUM, BASE, LONG_AGO, add_registration, add_token, address, scored
from tests.fixtures.service import Serve, Service
from warehouse.domain.symbols import fold
from warehouse.postgres import Connection


async def test_an_empty_registry_has_no_registrations(indexed: Service) -> None:
    service = indexed
    missing = await service.get("/registration/PEPE")
    assert (missing.status_code, missing.json()["code"]) == (404, "NOT_FOUND")
    assert (await service.get("/registration/1")).status_code == 404
    status = (await service.get("/registration/pepe/base")).json()
    assert (status["status"], status["symbol"], status["chainId"]) == ("available", "PEPE", 8453)
    assert status["tokenId"] is status["owner"] is status["heartbeat"] is None


async def test_absent_values_are_omitted(service: Service, store: Connection) -> None:
    add_registration(store)
    assert (await service.get("/registration/PEPE")).json() == {
        "tokenId": 1,
        "owner": to_checksum_address(address(0xA11CE)),
        "chainId": 8453,
        "symbol": "PEPE",
        "tierCount": 0,
    }


async def test_a_record_shows_metadata_and_peer(service: Service, store: Connection) -> None:
    add_registration(
        store,
        metadata_cid="bafy",
        metadata=Jsonb({"displayName": "Pepe", "avatarUrl": "ipfs://x", "tiers": [{}, {}]}),
        peer_chain_id=1,
        peer_token_id=9,
    )
    record = (await service.get("/registration/1")).json()
    assert record["identity"] == {"displayName": "Pepe", "avatarUrl": "ipfs://x"}
    assert (record["tierCount"], record["metadataCid"]) == (2, "bafy")
    assert record["canonicalPeer"] == {"chainId": 1, "crownId": 9}


async def test_invalid_metadata_is_ignored(service: Service, store: Connection) -> None:
    add_registration(store, metadata=Jsonb({"displayName": {"en": "Pepe"}, "avatarUrl": 5, "tiers": "many"}))
    record = await service.get("/registration/PEPE")
    assert (record.status_code, record.json()["tierCount"]) == (200, 0)
    assert "identity" not in record.json()


async def test_verified_domains_are_omitted_if_there_are_none(service: Service, store: Connection) -> None:
    add_registration(store)
    for symbol in ("PEPE", "OTHER"):
        assert "verifiedDomains" not in (await service.get(f"/registration/{symbol}/base")).json()


async def test_a_number_selects_the_earliest_mint_without_a_chain(service: Service, store: Connection) -> None:
    add_registration(store, "LATER", minted_at=LONG_AGO + timedelta(days=1))
    add_registration(store, "EARLIER", chain_id=ARBITRUM)
    assert (await service.get("/registration/1")).json()["symbol"] == "EARLIER"
    for name in ("base", "8453"):
        assert (await service.get("/registration/1", chain=name)).json()["symbol"] == "LATER"
    assert (await service.get("/registration/99999999999999999999999")).status_code == 404


async def test_a_symbol_selects_its_earliest_active_registration(service: Service, store: Connection) -> None:
    add_registration(store, token_id=1, released_at=LONG_AGO)
    add_registration(store, token_id=2, minted_at=LONG_AGO + timedelta(days=2))
    add_registration(store, token_id=1, chain_id=ARBITRUM, minted_at=LONG_AGO + timedelta(days=1))
    record = (await service.get("/registration/pepe")).json()
    assert (record["chainId"], record["tokenId"]) == (ARBITRUM, 1)


async def test_the_status_says_that_an_end_is_announced(indexed: Service, store: Connection) -> None:
    due_at = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)
    add_registration(store, pending_end="inactive", pending_end_due_at=due_at)
    add_token(store)
    body = (await indexed.get("/registration/PEPE/base")).json()
    assert body["pendingEnd"] == {"reason": "inactive", "dueAt": "2026-03-01T09:30:00.000Z", "objected": False}
    store.execute("UPDATE registration SET pending_end_objected_at = now()")
    assert (await indexed.get("/registration/PEPE/base")).json()["pendingEnd"]["objected"] is True
    store.execute("UPDATE registration SET pending_end = NULL")
    assert "pendingEnd" not in (await indexed.get("/registration/PEPE/base")).json()


async def test_an_ended_registration_is_not_found_and_says_when_and_why_it_ended(
    indexed: Service, store: Connection
) -> None:
    ended = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)
    add_registration(store, token_id=1, released_at=ended)
    add_registration(store, token_id=2, expired_at=ended + timedelta(days=1), minted_at=LONG_AGO + timedelta(days=1))
    add_token(store)
    lookups = {
        "/api/v2/registration/1": ("released", "2026-03-01T09:30:00.000Z"),
        "/registration/1/roles": ("released", "2026-03-01T09:30:00.000Z"),
        "/api/v2/registration/2": ("expired", "2026-03-02T09:30:00.000Z"),
        "/api/v2/registration/2/attestations": ("expired", "2026-03-02T09:30:00.000Z"),
        "/api/v2/registration/PEPE": ("expired", "2026-03-02T09:30:00.000Z"),
        "/registration/PEPE/roles": ("expired", "2026-03-02T09:30:00.000Z"),
        "/registration/unified/PEPE": ("expired", "2026-03-02T09:30:00.000Z"),
    }
    for path, (reason, at) in lookups.items():
        answer = await indexed.client.get(path)
        body = answer.json()
        assert (answer.status_code, body["code"], body["endReason"], body["endedAt"]) == (404, "NOT_FOUND", reason, at)
    for column, end_reason in (("released_at", "settled"), ("expired_at", "challenge_upheld")):
        add_registration(store, "DONE", token_id=9, end_reason=end_reason, **{column: ended})
        assert (await indexed.get("/registration/DONE")).json()["endReason"] == end_reason
        store.execute("DELETE FROM registration WHERE token_id = 9")
    status = await indexed.get("/registration/PEPE/base")
    assert (status.status_code, status.json()["status"], status.json()["tokenId"]) == (200, "unclaimed", None)
    assert (await indexed.get("/registration/1/history")).status_code == 200
    add_registration(store, token_id=3, minted_at=LONG_AGO + timedelta(days=2))
    for path in ("/api/v2/registration/PEPE", "/registration/PEPE/roles", "/registration/unified/PEPE"):
        assert (await indexed.client.get(path)).json()["tokenId"] == 3


@pytest.mark.parametrize(
    ("registration", "token", "status"),
    [
        (None, None, "available"),
        (None, {}, "unclaimed"),
        ({"expired_at": LONG_AGO}, {}, "unclaimed"),
        ({"released_at": LONG_AGO}, {}, "unclaimed"),
        ({"minted_at": datetime.now(UTC) - timedelta(days=29)}, scored("10"), "grace_period"),
        ({}, scored("59.99"), "inactive"),
        ({}, scored("60"), "claimed"),
        ({}, {}, "claimed"),
        ({}, None, "claimed"),
    ],
)
async def test_statuses(
    indexed: Service,
    store: Connection,
    registration: dict[str, Any] | None,
    token: dict[str, Any] | None,
    status: str,
) -> None:
    if registration is not None:
        add_registration(store, **registration)
    if token is not None:
        add_token(store, **token)
    assert (await indexed.get("/registration/PEPE/base")).json()["status"] == status


async def test_a_status_shows_the_exact_heartbeat(service: Service, store: Connection) -> None:
    add_registration(store, managers=[address(7)], verification_method="owner", verified_at=LONG_AGO)
    add_token(store, **scored("71.10"))
    answer = await service.get("/registration/PEPE/base")
    assert '"score":71.1,' in answer.text
    status = answer.json()
    assert status["heartbeat"]["status"] == "moderate"
    assert status["heartbeat"]["components"] == dict.fromkeys(("timestamp", "volume", "holders", "confidence"), 71.1)
    assert status["managers"] == [to_checksum_address(address(7))]
    assert status["mintTimestamp"] == int(LONG_AGO.timestamp())


@pytest.mark.parametrize(
    ("alias", "chain_id"),
    [("arb", 42161), ("ARB", 42161), ("42161", 42161), ("bsc", 56), ("sol", 900900), ("solana", 900900)],
)
async def test_chain_aliases(service: Service, store: Connection, alias: str, chain_id: int) -> None:
    add_registration(store, chain_id=chain_id)
    assert (await service.get(f"/registration/PEPE/{alias}")).json()["chainId"] == chain_id


async def test_a_chain_that_is_not_indexed_is_never_called_free(indexed: Service, store: Connection) -> None:
    for chain in ("avax", "43114", "solana"):
        answer = await indexed.get(f"/registration/PEPE/{chain}")
        assert (answer.status_code, answer.json()["code"]) == (422, "CHAIN_NOT_INDEXED")
        assert answer.json()["error"].startswith("chain: ")
    add_registration(store, chain_id=43114)  # a mint is recorded from its receipt
    assert (await indexed.get("/registration/PEPE/avax")).json()["status"] == "claimed"
    store.execute("UPDATE chain_checkpoint SET block_number = NULL WHERE chain_id = 100")  # nothing is published yet
    assert (await indexed.get("/registration/PEPE/gnosis")).json()["code"] == "CHAIN_NOT_INDEXED"


async def test_a_named_token_shows_that_another_one_has_the_symbol(indexed: Service, store: Connection) -> None:
    add_registration(store)
    add_token(store)
    add_token(store, address=address(0x2), precedence=1)
    by_symbol = (await indexed.get("/registration/PEPE/base")).json()
    assert (by_symbol["status"], by_symbol["tokenId"], by_symbol["takenBy"]) == ("claimed", 1, None)
    taken = {
        "tokenId": 1,
        "tokenAddress": to_checksum_address(address(0x70CE)),
        "owner": to_checksum_address(address(0xA11CE)),
    }
    other = (await indexed.get("/registration/PEPE/base", tokenAddress=address(0x2))).json()
    assert (other["status"], other["tokenId"], other["takenBy"]) == ("unclaimed", None, taken)
    assert (other["registrable"], other["reason"]) == (False, "already_registered")
    assert other["tokenAddress"] == to_checksum_address(address(0x2))
    absent = await indexed.get("/registration/PEPE/base", tokenAddress=address(0x3))
    assert (absent.status_code, absent.json()["takenBy"]) == (404, taken)


@pytest.mark.parametrize("path", ["/registration/PEPE/base", "/heartbeat/PEPE/base", "/heartbeat/PEPE/base/history"])
async def test_an_address_of_another_symbol_is_refused(indexed: Service, store: Connection, path: str) -> None:
    add_token(store, "FROG")
    answer = await indexed.get(path, tokenAddress=address(0x70CE))
    assert (answer.status_code, answer.json()["error"]) == (400, "tokenAddress: has the symbol FROG, not PEPE")
    add_registration(store)  # as PEPE, before the token called itself FROG
    assert (await indexed.get("/registration/PEPE/base", tokenAddress=address(0x70CE))).json()["status"] == "claimed"


@pytest.mark.parametrize(
    ("symbol", "reason"),
    [("PEPE", None), ("TEST", "reserved_symbol"), ("USDC", "major_coin"), ("U5DC", "major_coin"),
     ("123", "symbol_format"), ("A" * 13, "symbol_format"), ("TAKEN", "already_registered"), ("COPY", "copycat")],
)  # fmt: skip
async def test_a_status_says_whether_the_symbol_can_be_registered(
    indexed: Service, store: Connection, symbol: str, reason: str | None
) -> None:
    add_registration(store, "TAKEN")
    add_token(store, "COPY", is_copy=True)
    answer = (await indexed.get(f"/registration/{symbol}/base")).json()
    assert (answer["registrable"], answer["reason"]) == (reason is None, reason)
    if reason in ("reserved_symbol", "major_coin", "symbol_format"):
        assert answer["status"] == "available"


async def test_a_symbol_is_reserved_for_the_token_of_an_upheld_challenge(indexed: Service, store: Connection) -> None:
    account = store.execute("SELECT id FROM account").fetchone()
    add_registration(store, "PEP3", expired_at=datetime.now(UTC))
    add_token(store)
    add_token(store, address=address(0x2), precedence=1)
    store.execute(
        "INSERT INTO registration_challenge (chain_id, token_id, mint_transaction, symbol, symbol_folded,"
        " registered_token, minted_at, challenger_token, challenger_wallet, verification_method, account_id, opened_at,"
        " decide_at, state, ended_at) VALUES (%s, 1, '0x', 'PEPE', %s, %s, now(), %s, '0x', 'owner', %s, now(), now(),"
        " 'ended', now() - interval '6 days 23 hours')",
        (BASE, fold("PEPE"), address(9), address(0x70CE), account["id"] if account else None),
    )

    async def reason(token: int) -> Any:
        return (await indexed.get("/registration/PEPE/base", tokenAddress=address(token))).json()["reason"]

    assert (await reason(0x70CE), await reason(0x2)) == (None, "reserved_for_challenger")
    store.execute("UPDATE registration_challenge SET ended_at = now() - interval '7 days 1 second'")
    assert await reason(0x2) is None


async def test_a_chain_without_a_registry_takes_no_registrations(
    serve: Serve, store: Connection, tmp_path: Path
) -> None:
    chains = tmp_path / "chains.toml"
    chains.write_text('[chains.base]\nrpc_urls = ["http://127.0.0.1:1"]\n')
    store.execute("INSERT INTO chain_checkpoint (chain_id, generation, block_number) VALUES (%s, 1, 77)", (BASE,))
    async with serve(chains=chains) as running:
        answer = (await running.get("/registration/PEPE/base")).json()
    assert (answer["status"], answer["registrable"], answer["reason"]) == ("available", False, "chain_not_claimable")


@pytest.mark.parametrize(
    ("path", "field"),
    [
        ("/registration/PEPE/nowhere", "chain"),
        ("/registration/PEPE/robinhood", "chain"),
        ("/registration/PE%20PE/base", "symbol"),
        ("/registration/" + "A" * 21 + "/base", "symbol"),
        ("/registration/PE%20PE", "id"),
        ("/registration/1?chain=nowhere", "chain"),
        ("/registration/PEPE/base?tokenAddress=0x12", "tokenAddress"),
        (
            f"/registration/PEPE/base?tokenAddress={to_checksum_address(address(0xABCDEF)).swapcase()[2:]}",
            "tokenAddress",
        ),
    ],
)
async def test_bad_input_names_the_field(service: Service, path: str, field: str) -> None:
    answer = await service.client.get(f"/api/v2{path}")
    assert (answer.status_code, answer.json()["code"]) == (400, "INVALID_REQUEST")
    assert answer.json()["error"].startswith(f"{field}: ")
