"""Paging by cursor stays within one published state."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from api.http.errors import InvalidInput
from api.search.cursors import Cursor, read_cursor, write_cursor
from tests.factories.tokens import publish, token_row
from tests.fixtures.service import Service
from warehouse.clickhouse import Warehouse

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)


def state(rng: np.random.Generator, count: int) -> list[dict[str, Any]]:
    return [
        token_row(
            str(rng.choice(["MOON", "MOONS", "M00N"])),
            address=number,
            chain_id=int(rng.choice([1, 8453])),
            market_score=Decimal(int(rng.integers(0, 1000))) / 1000,
            volume_24h_usd=Decimal(int(rng.integers(0, 50))),
        )
        for number in range(1, count + 1)
    ]


@pytest.mark.parametrize("sort", ["relevance", "volume"])
async def test_pages_by_cursor_neither_skip_nor_repeat_results(
    finder: Service, warehouse: Warehouse, sort: str
) -> None:
    rng = np.random.default_rng(5)
    rows = state(rng, 90)
    publish(warehouse, rows, version=1)
    whole = (await finder.get("/search", symbol="MOON", pageSize=100, sort=sort)).json()
    expected = [(result["chainId"], result["token"]["address"]) for result in whole["results"]]
    answer = (await finder.get("/search", symbol="MOON", pageSize=10, sort=sort)).json()
    walked = list(answer["results"])
    version = 1
    while answer["pagination"]["nextCursor"]:
        version += 1
        changed = [
            row | {"market_score": Decimal(int(rng.integers(0, 1000))) / 1000, "deleted": int(rng.random() < 0.1)}
            for row in rows
        ]
        publish(warehouse, [*changed, token_row("MOON", address=1000 + version)], version=version)
        answer = (
            await finder.get(
                "/search", symbol="MOON", pageSize=10, sort=sort, cursor=answer["pagination"]["nextCursor"]
            )
        ).json()
        assert answer["meta"]["asOf"]["version"] == 1
        assert answer["pagination"]["total"] == len(expected)
        walked += answer["results"]
    assert version > 8
    assert [(result["chainId"], result["token"]["address"]) for result in walked] == expected
    assert answer["pagination"]["hasMore"] is False


async def test_a_cursor_works_with_another_page_size(finder: Service, warehouse: Warehouse) -> None:
    publish(warehouse, [token_row("MOON", address=number) for number in range(1, 8)])
    first = (await finder.get("/search", symbol="MOON", chain="base", pageSize=2)).json()
    rest = (
        await finder.get("/search", symbol="MOON", chain="base", pageSize=100, cursor=first["pagination"]["nextCursor"])
    ).json()
    shown = [result["token"]["address"] for result in first["results"] + rest["results"]]
    assert len(shown) == len(set(shown)) == 7


async def test_a_cursor_of_another_search_is_refused(finder: Service, warehouse: Warehouse) -> None:
    publish(warehouse, [token_row("MOON", address=number) for number in range(1, 8)])
    cursor = (await finder.get("/search", symbol="MOON", pageSize=2)).json()["pagination"]["nextCursor"]
    response = await finder.get("/search", symbol="MOON", pageSize=2, sort="volume", cursor=cursor)
    assert response.status_code == 400
    assert response.json() == {"error": "cursor: belongs to a search with other parameters", "code": "bad_request"}


async def test_a_cursor_of_a_state_no_longer_kept_is_refused(finder: Service, warehouse: Warehouse) -> None:
    publish(warehouse, [token_row("MOON", address=number) for number in range(1, 8)], version=3)
    cursor = (await finder.get("/search", symbol="MOON", pageSize=2)).json()["pagination"]["nextCursor"]
    publish(warehouse, [token_row("MOON", address=9)], version=4)
    warehouse.command("DELETE FROM serve_publication WHERE version = 3")
    await finder.get("/search", symbol="MOON", refresh="true")
    response = await finder.get("/search", symbol="MOON", pageSize=2, cursor=cursor)
    assert response.status_code == 400
    assert response.json()["error"].startswith("cursor: shows a state that is no longer kept")


def test_a_cursor_survives_a_round_trip() -> None:
    cursor = Cursor(version=2**63, moment=NOW, offset=12345, available_on=(8453, 900900))
    assert read_cursor(write_cursor(cursor, "abc"), "abc", NOW + timedelta(minutes=10)) == cursor


def test_a_cursor_older_than_ten_minutes_is_refused() -> None:
    text = write_cursor(Cursor(1, NOW, 10, ()), "abc")
    with pytest.raises(InvalidInput, match="older than ten minutes"):
        read_cursor(text, "abc", NOW + timedelta(minutes=10, seconds=1))


def test_a_cursor_has_one_spelling() -> None:
    text = write_cursor(Cursor(version=1, moment=NOW, offset=1, available_on=(8453,)), "abc")
    assert read_cursor(text, "abc", NOW).offset == 1
    for other in (f"{text}=", f"{text}==", f" {text}", f"{text}\n", text.replace("-", "+").replace("_", "/") + "="):
        with pytest.raises(InvalidInput, match="was not issued"):
            read_cursor(other, "abc", NOW)


@pytest.mark.parametrize("text", ["", "%%%", "AAAA", "gA", "_" * 40, "k" * 400])
def test_a_forged_cursor_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput, match="was not issued by this list"):
        read_cursor(text, "abc", NOW)


def test_a_cursor_of_the_future_is_refused() -> None:
    with pytest.raises(InvalidInput, match="was not issued"):
        read_cursor(write_cursor(Cursor(1, NOW + timedelta(hours=1), 0, ()), "abc"), "abc", NOW)
