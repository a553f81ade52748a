"""All answers about one symbol agree, over generated worlds of symbols, chains, tokens and registrations."""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from api.claims.control import TokenReading
from api.claims.evm_eligibility import EvmEligibility
from api.claims.messages import Claim
from api.claims.repository import ClaimRepository
from tests.factories.registrations import BASE, LONG_AGO, add_registration, add_token, address
from tests.factories.tokens import publish, token_row
from tests.fixtures.service import Serve, Service
from warehouse.clickhouse import Warehouse
from warehouse.postgres import Connection

GNOSIS, POLYGON = 100, 137
CHAINS = """
[chains.base]
rpc_urls = ["http://127.0.0.1:1"]
[chains.base.contracts]
registry = "0x0000000000000000000000000000000000005e91"
[chains.gnosis]
rpc_urls = ["http://127.0.0.1:1"]
[chains.polygon]
rpc_urls = ["http://127.0.0.1:1"]
[chains.polygon.contracts]
registry = "0x0000000000000000000000000000000000005e91"
"""
"""Base takes claims, Gnosis has no registry, Polygon is not indexed yet, and the others have no node."""
KEYS = {BASE: "base", GNOSIS: "gnosis", POLYGON: "polygon", 43114: "avax"}
INDEXED = (BASE, GNOSIS)
NEVER = {"reserved_symbol": "blocked", "symbol_format": "blocked", "major_coin": "og_required"}
FOREVER = (
    "TEST", "ADMIN", "OFFICIAL", "USDC", "U5DC", "WETH", "LINK", "L1NK", "123", "0", "ABCDEFGHIJKLM", "A" * 20,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Place:
    """A symbol on a chain: its tokens, and the address of the registered one."""

    symbol: str
    chain_id: int
    tokens: tuple[str, ...]
    registered: str | None


def generate(store: Connection, warehouse: Warehouse, seed: int) -> list[Place]:
    """A world of forty symbols on four chains, as the indexer leaves it in both engines."""
    choose, numbers = random.Random(seed), iter(range(1, 10_000))
    places, rows = [], []
    for symbol in [*FOREVER, *(f"SYM{number}X" for number in range(28))]:
        for chain_id in KEYS:
            places.append(_place(store, rows, choose, numbers, symbol, chain_id))
    for chain_id in INDEXED:
        store.execute(
            "INSERT INTO chain_checkpoint (chain_id, generation, block_number) VALUES (%s, 1, 100)", (chain_id,)
        )
        store.execute(
            "INSERT INTO copy_progress (chain_id, as_of_block, as_of_time) VALUES (%s, 1, now())", (chain_id,)
        )
    publish(warehouse, rows)
    return places


def _place(
    store: Connection,
    rows: list[dict[str, Any]],
    choose: random.Random,
    numbers: Iterator[int],
    symbol: str,
    chain_id: int,
) -> Place:
    numbered = [next(numbers) for _ in range(choose.choice((0, 0, 1, 1, 2)))] if chain_id in INDEXED else []
    registered: int | None = None
    kind = choose.choice(("none", "none", "active", "ended", "of an unknown token", "of a renamed token"))
    if kind == "of an unknown token":  # its receipt is recorded before its block is indexed
        registered = next(numbers)
    elif kind == "of a renamed token" and chain_id in INDEXED:
        registered = next(numbers)
        _token(store, rows, f"NOW{registered}", chain_id, registered, registered_as=symbol)
    elif numbered and kind in ("active", "ended"):
        registered = choose.choice(numbered)
    if registered is not None:
        ending = {"expired_at": LONG_AGO} if kind == "ended" else {}
        add_registration(
            store, symbol, chain_id=chain_id, token_id=next(numbers), token_address=address(registered), **ending
        )
    active = None if kind == "ended" else registered
    for place, number in enumerate(numbered):
        _token(
            store, rows, symbol, chain_id, number, precedence=place, registered_as=symbol if number == active else ""
        )
    return Place(symbol, chain_id, tuple(map(address, numbered)), None if active is None else address(active))


def _token(
    store: Connection,
    rows: list[dict[str, Any]],
    symbol: str,
    chain_id: int,
    number: int,
    *,
    precedence: int = 0,
    registered_as: str = "",
) -> None:
    add_token(store, symbol, chain_id=chain_id, address=address(number), precedence=precedence)
    # The pipelines count a registration for a token while the token has the registered symbol.
    rows.append(token_row(symbol, chain_id=chain_id, address=number, registered=registered_as == symbol))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
async def test_all_answers_about_a_symbol_agree(
    serve: Serve, store: Connection, warehouse: Warehouse, warehouse_url: str, tmp_path: Path, seed: int
) -> None:
    chains = tmp_path / "chains.toml"
    chains.write_text(CHAINS)
    places = generate(store, warehouse, seed)
    async with serve(clickhouse_url=warehouse_url, chains=chains) as service:
        for symbol in dict.fromkeys(place.symbol for place in places):
            await compare(service, symbol, [place for place in places if place.symbol == symbol])


async def compare(service: Service, symbol: str, places: list[Place]) -> None:
    """Ask every route about a symbol and compare what they say."""
    check = (await service.post("/verify/symbol", {"symbol": symbol})).json()
    search = (await service.get("/search", symbol=symbol, exact="true", pageSize=100)).json()
    crowns = (await service.client.get(f"/registration/v2/symbol/{symbol}/all-chains")).json()["crowns"]
    everywhere = {crown["chainId"]: crown["tokenId"] for crown in crowns}
    assert set(search["meta"]["notIndexed"]).isdisjoint({"base", "gnosis"})
    assert {"polygon", "avax"} <= set(search["meta"]["notIndexed"])
    for place in places:
        found = [row for row in search["results"] if row["chainId"] == place.chain_id]
        status = await service.get(f"/registration/{symbol}/{KEYS[place.chain_id]}")
        said = status.json()
        await compare_registration(service, place, everywhere)
        if status.status_code == 422:
            assert (place.chain_id in INDEXED, place.tokens, place.registered, found) == (False, (), None, [])
            continue
        compare_status(place, said, found, check)
        for token in place.tokens:
            await compare_token(service, place, token, found)


async def compare_registration(service: Service, place: Place, everywhere: dict[int, int]) -> None:
    """By symbol and by id, the registration is the one that all chains list."""
    by_symbol = await service.get(f"/registration/{place.symbol}", chain=KEYS[place.chain_id])
    if place.symbol.isdecimal():
        return  # a number names an id
    if place.registered is None:
        assert (by_symbol.status_code, place.chain_id in everywhere) == (404, False)
        return
    record = by_symbol.json()
    assert record["tokenId"] == everywhere[place.chain_id]
    assert (await service.get(f"/registration/{record['tokenId']}", chain=KEYS[place.chain_id])).json() == record


def compare_status(place: Place, said: dict[str, Any], found: list[dict[str, Any]], check: dict[str, Any]) -> None:
    """The status, the rows of search and the check of the symbol agree."""
    available = [row for row in found if row["registration"] is None]
    expected = "claimed" if place.registered else "unclaimed" if place.tokens else "available"
    assert said["status"] == expected
    assert bool(available) == (said["status"] == "available" and said["registrable"])
    crowned = [row for row in found if row["hasCrown"]]
    assert len(crowned) == (1 if place.registered in place.tokens else 0)
    assert all(row["registration"]["tokenId"] is not None for row in crowned)
    assert (said["reason"] is None) == said["registrable"]
    assert (said["reason"] in NEVER) == (check["status"] in NEVER.values())
    if said["reason"] in NEVER:
        assert check["status"] == NEVER[said["reason"]]
    elif place.registered:
        assert (said["reason"], check["status"]) == ("already_registered", "warning")
    else:
        assert said["registrable"] == (place.chain_id == BASE)


async def compare_token(service: Service, place: Place, token: str, found: list[dict[str, Any]]) -> None:
    """What is said of one token of the symbol, by the status, the lookup, search and a claim."""
    path = f"{place.symbol}/{KEYS[place.chain_id]}"
    scoped = (await service.get(f"/registration/{path}", tokenAddress=token)).json()
    looked_up = (await service.get(f"/token/{path}", tokenAddress=token)).json()
    row = next(one for one in found if (one["token"]["address"] or "").lower() == token)
    assert scoped["status"] == looked_up["registration"]["status"] == row["registration"]["status"]
    assert (scoped["status"] == "claimed") == (token == place.registered)
    assert (scoped["takenBy"] is not None) == (place.registered not in (None, token))
    if len(place.symbol) <= 12 and place.chain_id == BASE:
        assert await refused(service, place, token) == (scoped["reason"] in NEVER)


async def refused(service: Service, place: Place, token: str) -> bool:
    """Whether a claim of the token is refused by a rule."""
    services = service.services
    chain = services.chains.by_id(place.chain_id)
    assert chain is not None
    repository = ClaimRepository(services.store)
    eligibility = EvmEligibility(services.readers, services.warehouse, repository, services.majors, timedelta(0))
    reading = TokenReading(
        head_time=LONG_AGO, symbol=place.symbol, owners=(), admins=(),
        wallet_is_role_admin=False, balance_raw=None, stranger_balance_raw=None, supply_raw=None,
    )  # fmt: skip
    claim = Claim(chain=chain, token=token, symbol=place.symbol, wallet=address(0xCA11))
    return await eligibility.refusal(claim, reading) is not None
