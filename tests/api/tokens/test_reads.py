"""One token by symbol and chain."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from tests.factories.registrations import add_token, address
from tests.factories.tokens import publish, token_row
from tests.fixtures.service import HOLDER, Serve, Service
from warehouse.clickhouse import Warehouse
from warehouse.domain.addresses import checksum_address
from warehouse.postgres import Connection


@pytest.fixture
async def finder(serve: Serve, warehouse_url: str) -> AsyncIterator[Service]:
    async with serve(clickhouse_url=warehouse_url, site_url="https://site.test") as running:
        yield running


@pytest.fixture
async def indexed(
    indexed: Service, warehouse: Warehouse, warehouse_url: str, serve: Serve, chains_file: Path
) -> AsyncIterator[Service]:
    """Base and Gnosis indexed, and a publication without a token of the symbol; a deleted one is none."""
    publish(warehouse, [token_row("PEPE", address=2, deleted=1)])
    async with serve(clickhouse_url=warehouse_url, chains=chains_file) as running:
        yield running


async def address_of(finder: Service, path: str, **parameters: str) -> str:
    return str((await finder.get(path, **parameters)).json()["token"]["address"])[-1]


async def test_a_symbol_selects_the_registered_then_the_original_token(finder: Service, warehouse: Warehouse) -> None:
    original = token_row("PEPE", address=1, market_score=Decimal("0.1"))
    copy = token_row("PEPE", address=2, market_score=Decimal("0.9"), copy_of=original)
    registered = token_row("DOGE", address=3, registered=True)
    larger = token_row("DOGE", address=4, market_score=Decimal("0.9"))
    expired = token_row("CAT", address=5, registered=True, registration_expired=1)
    alive = token_row("CAT", address=6, market_score=Decimal("0.2"))
    publish(warehouse, [original, copy, registered, larger, expired, alive])
    assert await address_of(finder, "/token/pepe/base") == "1"
    assert await address_of(finder, "/token/DOGE/8453") == "3"
    assert await address_of(finder, "/token/CAT/base") == "6"
    assert await address_of(finder, "/token/PEPE/base", tokenAddress=f"0x{2:040x}") == "2"


async def test_the_answer_is_one_search_result(finder: Service, warehouse: Warehouse) -> None:
    publish(warehouse, [token_row("PEPE", address=1, registered=True, price_usd=Decimal("0.5"))])
    alone = (await finder.get("/token/PEPE/base")).json()
    listed = (await finder.get("/search", symbol="PEPE", chain="base")).json()["results"][0]
    assert alone == listed
    assert alone["registration"]["status"] == "claimed"


async def test_an_unknown_token_is_404(indexed: Service) -> None:
    for path in ("/token/PEPE/base", f"/token/PEPE/base?tokenAddress=0x{9:040x}"):
        response = await indexed.client.get(f"/api/v2{path}")
        assert (response.status_code, response.json()["code"]) == (404, "NOT_FOUND"), path


async def test_nothing_is_said_of_a_chain_that_is_not_indexed(indexed: Service) -> None:
    for path in ("/token/PEPE/eth", "/token/PEPE/solana"):
        response = await indexed.client.get(f"/api/v2{path}")
        assert (response.status_code, response.json()["code"]) == (422, "CHAIN_NOT_INDEXED"), path


async def test_bad_input_is_named(finder: Service) -> None:
    for path, field in (
        ("/token/PE-PE/base", "symbol"),
        (f"/token/{'A' * 21}/base", "symbol"),
        ("/token/PEPE/nochain", "chain"),
        ("/token/PEPE/robinhood", "chain"),
        ("/token/PEPE/base?tokenAddress=0x12", "tokenAddress"),
        (f"/token/PEPE/base?tokenAddress=0x{checksum_address(HOLDER)[2:].swapcase()}", "tokenAddress"),
    ):
        response = await finder.client.get(f"/api/v2{path}")
        assert (response.status_code, response.json()["code"]) == (400, "INVALID_REQUEST"), path
        assert response.json()["error"].startswith(f"{field}: "), path
    assert (await finder.anonymous.get("/api/v2/token/PEPE/base")).status_code == 401


async def test_a_copy_comes_with_rule_figures_and_original(
    finder: Service, warehouse: Warehouse, store: Connection
) -> None:
    original = token_row("PEPE", address=1)
    publish(warehouse, [original, token_row("PEPE", address=2, copy_of=original, copy_rule="senior")])
    since = datetime(2026, 1, 1, 5, tzinfo=UTC)
    add_token(store, address=address(1), established_usd=Decimal("64000.5"), senior_since=since, senior_block=7)
    add_token(
        store, address=address(2), is_copy=True, copy_of_chain_id=8453, copy_of_address=address(1),
        weight_usd=Decimal("1200.25"), senior_since=since, senior_block=90,
    )  # fmt: skip
    store.execute("INSERT INTO copy_progress (chain_id, as_of_block, as_of_time) VALUES (8453, 123, now())")
    verdict = (await finder.get("/token/PEPE/base", tokenAddress=address(2))).json()["copyVerdict"]
    assert (verdict["rule"], verdict["original"]) == ("senior", f"eip155:8453:{checksum_address(address(1))}")
    figures = verdict["evidence"]
    assert (figures["weightUsd"], figures["seniorBlock"]) == (1200.25, 90)
    assert (figures["originalWeightUsd"], figures["originalSeniorBlock"]) == (64000.5, 7)
    assert figures["asOfBlock"] == 123
    assert "copyVerdict" not in (await finder.get("/token/PEPE/base")).json()
