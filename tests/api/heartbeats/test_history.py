"""Scores over time, from the warehouse."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pyarrow as pa
import pytest

from tests.factories.registrations import BASE, add_registration, add_token, address, scored
from tests.fixtures.service import Serve, Service
from warehouse.clickhouse import Warehouse
from warehouse.postgres import Connection

START = datetime(2026, 5, 1, tzinfo=UTC)
SCORES = ("score", "timestamp_score", "volume_score", "holders_score", "confidence_score")


@pytest.fixture
async def service(serve: Serve, warehouse_url: str) -> AsyncIterator[Service]:
    async with serve(clickhouse_url=warehouse_url) as running:
        yield running


def add_hours(warehouse: Warehouse, count: int, *, first: int = 0, computed: datetime = START, plus: int = 0) -> None:
    """Scores of the token at address 1: the hour's number, plus something."""
    hours = range(first, first + count)
    time = pa.timestamp("s", tz="UTC")
    warehouse.insert_arrow(
        "agg_heartbeat",
        pa.table(
            {
                "chain_id": pa.array([BASE] * count, pa.uint32()),
                "token": pa.array([bytes.fromhex(address(1)[2:])] * count, pa.binary()),
                "hour": pa.array([START + timedelta(hours=hour) for hour in hours], time),
                "symbol_key": pa.array(["PEPE"] * count),
                **{name: pa.array([Decimal(hour + plus) for hour in hours], pa.decimal128(5, 2)) for name in SCORES},
                "weights_version": pa.array([1] * count, pa.uint16()),
                "inputs": pa.array(["{}"] * count),
                "as_of_block": pa.array(list(hours), pa.uint64()),
                "computed_at": pa.array([computed] * count, time),
            }
        ),
    )


async def test_points_come_newest_first_and_pages_cover_the_range(
    service: Service, store: Connection, warehouse: Warehouse
) -> None:
    add_token(store, address=address(1), **scored("50"))
    add_hours(warehouse, 30)
    asked = {"from": "2026-05-01T02:00:00Z", "to": "2026-05-02T00:00:00Z", "limit": "10"}
    scores: list[int] = []
    cursor = {}
    while True:
        answer = (await service.get("/heartbeat/PEPE/base/history", **asked, **cursor)).json()
        scores += [point["score"] for point in answer["points"]]
        if not answer["pagination"]["hasMore"]:
            break
        cursor = {"cursor": answer["pagination"]["nextCursor"]}
    assert scores == list(range(23, 1, -1))
    assert answer["pagination"] == {"returned": 2, "limit": 10, "hasMore": False, "nextCursor": None}
    assert (answer["from"], answer["interval"]) == ("2026-05-01T02:00:00.000Z", "hour")
    assert answer["points"][-1] == {
        "timestamp": "2026-05-01T02:00:00.000Z", "score": 2, "status": "inactive", "weightsVersion": 1, "asOfBlock": 2,
        "components": {"timestamp": 2, "volume": 2, "holders": 2, "confidence": 2},
    }  # fmt: skip


async def test_a_rescored_hour_shows_its_last_score(service: Service, store: Connection, warehouse: Warehouse) -> None:
    add_token(store, address=address(1), **scored("50"))
    add_hours(warehouse, 2)
    add_hours(warehouse, 1, first=1, computed=START + timedelta(hours=3), plus=70)
    answer = (await service.get("/heartbeat/PEPE/base/history", **{"from": "2026-05-01", "to": "2026-05-02"})).json()
    assert [point["score"] for point in answer["points"]] == [71, 0]


async def test_days_show_the_last_score_of_each(service: Service, store: Connection, warehouse: Warehouse) -> None:
    add_token(store, address=address(1), **scored("50"))
    add_hours(warehouse, 60)
    asked = {"from": "2026-05-01", "to": "2026-05-09", "interval": "day", "limit": "2"}
    first = (await service.get("/heartbeat/PEPE/base/history", **asked)).json()
    rest = (await service.get("/heartbeat/PEPE/base/history", **asked, cursor=first["pagination"]["nextCursor"])).json()
    assert [point["timestamp"] for point in first["points"] + rest["points"]] == [
        "2026-05-03T11:00:00.000Z", "2026-05-02T23:00:00.000Z", "2026-05-01T23:00:00.000Z",
    ]  # fmt: skip


async def test_a_point_has_the_status_of_its_time(service: Service, store: Connection, warehouse: Warehouse) -> None:
    add_token(store, address=address(1), **scored("50"))
    add_registration(store, token_address=address(1), minted_at=START + timedelta(hours=1))
    add_hours(warehouse, 3)
    answer = (await service.get("/heartbeat/PEPE/base/history", **{"from": "2026-05-01", "to": "2026-05-02"})).json()
    assert [point["status"] for point in answer["points"]] == ["grace_period", "grace_period", "inactive"]


async def test_a_token_without_scores_has_an_empty_history_and_an_unknown_one_is_404(
    indexed: Service, store: Connection
) -> None:
    add_token(store, address=address(1))
    answer = (await indexed.get("/heartbeat/PEPE/base/history")).json()
    assert (answer["points"], answer["pagination"]["hasMore"]) == ([], False)
    assert (await indexed.get("/heartbeat/NONE/base/history")).status_code == 404
