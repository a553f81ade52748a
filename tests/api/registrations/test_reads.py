"""Registration records and statuses."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from eth_utils.address import to_checksum_address
from psycopg.types.json import Jsonb

from tests.factories.registrations import ARBITRUM, LONG_AGO, add_registration, add_token, address, scored
from tests.fixtures.service import Service
from warehouse.postgres import Connection


async def test_an_empty_registry_has_no_registrations(service: Service) -> None:
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
    service: Service,
    store: Connection,
    registration: dict[str, Any] | None,
    token: dict[str, Any] | None,
    status: str,
) -> None:
    if registration is not None:
        add_registration(store, **registration)
    if token is not None:
        add_token(store, **token)
    assert (await service.get("/registration/PEPE/base")).json()["status"] == status


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
async def test_chain_aliases(service: Service, alias: str, chain_id: int) -> None:
    assert (await service.get(f"/registration/PEPE/{alias}")).json()["chainId"] == chain_id


async def test_a_token_address_narrows_the_lookup(service: Service, store: Connection) -> None:
    add_registration(store)
    add_token(store)
    add_token(store, address=address(0x2), precedence=1, is_copy=True)
    by_symbol = (await service.get("/registration/PEPE/base")).json()
    assert (by_symbol["status"], by_symbol["tokenId"]) == ("claimed", 1)
    other = (await service.get("/registration/PEPE/base", tokenAddress=address(0x2))).json()
    assert (other["status"], other["tokenId"]) == ("unclaimed", None)
    absent = (await service.get("/registration/PEPE/base", tokenAddress=address(0x3))).json()
    assert absent["status"] == "available"


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
