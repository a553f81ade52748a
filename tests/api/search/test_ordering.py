"""Orders, filters and facets agree with a slow reference over generated rows."""

from collections import Counter
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from tests.api.search import reference
from tests.factories.tokens import publish, token_row
from tests.fixtures.service import Service
from warehouse.clickhouse import Warehouse
from warehouse.domain.symbols import fold

SYMBOLS = ("MOON", "M00N", "MOONS", "MOONCAT")
CHAIN_IDS = (1, 56, 137, 8453, 42161, 43114)
SORTS = ("relevance", *reference.SORT_VALUES)
NOW = datetime.now(UTC)


def figure(rng: np.random.Generator, scale: int, least: float = 0.0) -> Decimal | None:
    """A metric with many ties that is often missing."""
    if rng.random() < 0.3:
        return None
    return Decimal(int(rng.integers(least, 9))) + Decimal(int(rng.integers(0, 2))).scaleb(-scale)


def generated_rows(seed: int, count: int = 160) -> list[dict[str, Any]]:
    rng = np.random.default_rng(seed)
    rows: list[dict[str, Any]] = []
    for number in range(1, count + 1):
        symbol = str(rng.choice(SYMBOLS, p=[0.5, 0.2, 0.15, 0.15]))
        originals = [row for row in rows if not row["is_copy"] and row["symbol_folded"] == fold(symbol)]
        registered = rng.random() < 0.4
        minted = NOW - timedelta(days=int(rng.choice([2, 29, 31, 400])))
        rows.append(
            token_row(
                symbol,
                address=int(rng.integers(1, 1 << 62)),
                chain_id=int(rng.choice(CHAIN_IDS)),
                name=str(rng.choice(["Moon", "moon", "Zed", "", "Ärger"])),
                copy_of=originals[int(rng.integers(len(originals)))] if originals and rng.random() < 0.5 else None,
                market_score=Decimal(int(rng.integers(0, 4))) / 10,
                volume_24h_usd=figure(rng, 6),
                market_cap_usd=figure(rng, 6) if rng.random() < 0.9 else Decimal("1e60"),
                liquidity_usd=figure(rng, 6),
                price_usd=figure(rng, 36),
                price_change_1h=figure(rng, 6, -9),
                price_change_6h=figure(rng, 6, -9),
                price_change_24h=figure(rng, 6, -9),
                holders=None if rng.random() < 0.2 else int(rng.integers(0, 5)),
                transactions_24h=None if rng.random() < 0.2 else int(rng.integers(0, 5)),
                token_rank=None if rng.random() < 0.2 else number,
                deployed_at=None
                if rng.random() < 0.2
                else NOW.replace(microsecond=0) - timedelta(days=int(rng.integers(9))),
                first_seen_at=NOW.replace(microsecond=0) - timedelta(days=int(rng.integers(9))),
                heartbeat_score=None
                if rng.random() < 0.2
                else Decimal(int(rng.choice([59, 60, 80]))) - Decimal("0.01"),
                registration_token_id=number if registered else None,
                registered_at=minted.replace(microsecond=0) if registered else None,
                registration_expired=int(registered and rng.random() < 0.2),
                registration_owner=b"\x0e" * 20 if registered else b"",
            )
        )
    return rows


def identity(result: dict[str, Any]) -> tuple[int, str]:
    return result["chainId"], (result["token"]["address"] or "").lower()


def expected_identity(row: Any) -> tuple[int, str]:
    return row["chain_id"], "0x" + row["address"].hex() if row["address"] else ""


async def everything(finder: Service, **parameters: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for page in range(1, 20):
        answer = (await finder.get("/search", page=page, pageSize=100, **parameters)).json()
        found += answer["results"]
        if not answer["pagination"]["hasMore"]:
            return found
    raise AssertionError("a search of a few hundred rows does not end")


@pytest.fixture
def rows(warehouse: Warehouse, request: pytest.FixtureRequest) -> list[dict[str, Any]]:
    made = generated_rows(seed=7)
    publish(warehouse, made)
    return made


def listed(rows: list[dict[str, Any]]) -> list[Any]:
    """All rows of an unfiltered search: available chains included, inactive tokens excluded."""
    free = [reference.available_row("MOON", chain) for chain in (8453, 100) if chain not in {
        row["chain_id"] for row in rows if row["symbol_key"] == "MOON"}]  # fmt: skip
    return [row for row in [*rows, *free] if reference.status_of(row, NOW) != "inactive"]


async def test_every_sort_in_either_order_agrees_with_the_reference(
    finder: Service, rows: list[dict[str, Any]]
) -> None:
    answer = (await finder.get("/search", symbol="moon")).json()
    symbols = ["MOON", *answer["meta"]["expansionQueries"]]
    assert sorted(symbols) == sorted(SYMBOLS)
    for sort in SORTS:
        for order in ("desc", "asc"):
            expected = reference.order_rows(listed(rows), "MOON", symbols, fold, sort, order, NOW)
            found = await everything(finder, symbol="moon", sort=sort, order=order)
            assert [identity(result) for result in found] == [expected_identity(row) for row in expected], (sort, order)


FILTERS: tuple[dict[str, str], ...] = (
    {},
    {"chain": "base"},
    {"chain": "8453", "status": "claimed"},
    {"status": "available"},
    {"status": "unclaimed"},
    {"status": "claimed"},
    {"status": "inactive"},
    {"includeInactive": "true"},
    {"crownsOnly": "true"},
    {"crownsOnly": "true", "includeInactive": "true"},
    {"crownsOnly": "true", "status": "available"},
    {"exact": "true"},
    {"exact": "true", "chain": "gnosis"},
)
KEYS = {"base": 8453, "8453": 8453, "gnosis": 100}
NAMES = {1: "eth", 56: "bnb", 137: "polygon", 8453: "base", 42161: "arbitrum", 43114: "avax", 100: "gnosis"}


def passes(row: Any, filters: dict[str, str]) -> bool:
    status = reference.status_of(row, NOW)
    if "status" in filters:
        wanted = ("grace_period", "claimed", "owned") if filters["status"] == "claimed" else (filters["status"],)
        if status not in wanted:
            return False
    elif status == "inactive" and "includeInactive" not in filters:
        return False
    if filters.get("crownsOnly") and status in ("available", "unclaimed"):
        return False
    if "chain" in filters and row["chain_id"] != KEYS[filters["chain"]]:
        return False
    return "exact" not in filters or row["symbol_key"] == "MOON"


async def test_filters_and_facets_agree_with_counting(finder: Service, rows: list[dict[str, Any]]) -> None:
    everywhere = [*rows, reference.available_row("MOON", 100)]
    for filters in FILTERS:
        expected = [row for row in everywhere if passes(row, filters)]
        answer = (await finder.get("/search", symbol="MOON", pageSize=10, **filters)).json()
        meta, pagination = answer["meta"], answer["pagination"]
        assert meta["totalResults"] == pagination["total"] == len(expected), filters
        assert meta["chainCounts"] == Counter(NAMES[row["chain_id"]] for row in expected), filters
        assert meta["statusCounts"] == Counter(reference.status_of(row, NOW) for row in expected), filters
        assert pagination["returned"] == len(answer["results"]) == min(10, len(expected))
        assert pagination["totalPages"] == -(-len(expected) // 10)
        assert meta["queryExpanded"] == any(row["symbol_key"] != "MOON" for row in expected)


@pytest.mark.parametrize("seed", range(3))
async def test_no_copy_comes_before_the_token_it_copies(finder: Service, warehouse: Warehouse, seed: int) -> None:
    rows = generated_rows(seed=100 + seed)
    publish(warehouse, rows)
    originals = {
        expected_identity(row): (row["copy_of_chain_id"], "0x" + row["copy_of_address"].hex())
        for row in rows
        if row["is_copy"]
    }
    for symbol in (*SYMBOLS, "MO0NS", "MOONX"):
        for order in ("desc", "asc"):
            found = await everything(finder, symbol=symbol, order=order, includeInactive="true")
            places = {identity(result): place for place, result in enumerate(found)}
            for copy, original in originals.items():
                if copy in places and original in places:
                    assert places[original] < places[copy], (symbol, order)
