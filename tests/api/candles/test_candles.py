"""A token's prices over time, from the warehouse."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from pipelines import frames
from tests.factories.registrations import BASE, add_token, address
from tests.fixtures.service import Serve, Service
from warehouse.clickhouse import Warehouse
from warehouse.postgres import Connection

START = datetime(2026, 5, 1, tzinfo=UTC)
TOKEN = address(1)
PATH = "/token/PEPE/base/candles"


@pytest.fixture
async def service(serve: Serve, warehouse_url: str) -> AsyncIterator[Service]:
    async with serve(clickhouse_url=warehouse_url) as running:
        yield running


@pytest.fixture
def traded(store: Connection, warehouse: Warehouse) -> None:
    """A token with 30 buckets of five minutes, at 1.5, 2.5, 3.5 … micro-dollars; the second has no price."""
    add_token(store, address=TOKEN)
    warehouse.command(
        "INSERT INTO agg_token (chain_id, token, symbol, decimals)"
        " SELECT {chain:UInt32}, unhex({token:String}), 'PEPE', 18",
        {"chain": BASE, "token": TOKEN[2:]},
    )
    store.execute(
        "INSERT INTO derive_checkpoint (subject, chain_id, change_id, details)"
        " VALUES ('candles', %s, 1, '{\"as_of\": 1777600000, \"through\": 77}')",
        (BASE,),
    )
    price, usd = frames.decimal(76, 54), frames.decimal(38, 6)
    columns = {
        "chain_id": frames.UINT32, "token": frames.HEX, "seconds": frames.UINT32, "start": frames.TIME,
        "open": price, "high": price, "low": price, "close": price, "volume_usd": usd, "liquidity_usd": usd,
        "trades": frames.UINT64,
    }  # fmt: skip
    rows = []
    for place in range(30):
        unit = Decimal(place) + Decimal("1.5")
        close = None if place == 1 else unit.scaleb(-24)
        start = int((START + timedelta(minutes=5 * place)).timestamp())
        figures = (None, None) if place == 1 else (Decimal(10), Decimal(5000))
        rows.append((BASE, TOKEN[2:], 300, start, close, close, close, close, *figures, 2))
    warehouse.insert_arrow("agg_token_candle", frames.of_tuples(columns, rows))


@pytest.mark.usefixtures("traded")
async def test_pages_of_candles_cover_the_range_newest_first(service: Service) -> None:
    asked = {"interval": "5m", "from": "2026-05-01T00:05:00Z", "to": "2026-05-02", "limit": "10"}
    found, cursor = [], {}
    while True:
        answer = (await service.get(PATH, **asked, **cursor)).json()
        found += answer["candles"]
        if not answer["pagination"]["hasMore"]:
            break
        cursor = {"cursor": answer["pagination"]["nextCursor"]}
    assert [candle["timestamp"][11:16] for candle in found[:2]] == ["02:25", "02:20"]
    assert len(found) == 29
    assert answer["pagination"] == {"returned": 9, "limit": 10, "hasMore": False, "nextCursor": None}
    assert answer["asOf"] == {"block": 77, "time": "2026-05-01T01:46:40.000Z"}
    assert (answer["interval"], answer["from"]) == ("5m", "2026-05-01T00:05:00.000Z")
    assert found[-2]["close"] == 0.0000035
    assert found[-1] == {
        "timestamp": "2026-05-01T00:05:00.000Z", "open": None, "high": None, "low": None, "close": None,
        "volumeUsd": None, "liquidityUsd": None, "trades": 2,
    }  # fmt: skip


@pytest.mark.usefixtures("traded")
async def test_longer_candles_are_made_of_shorter_ones(service: Service) -> None:
    answer = (await service.get(PATH, interval="15m", **{"from": "2026-05-01", "to": "2026-05-01T00:20:00Z"})).json()
    assert [candle["timestamp"][11:16] for candle in answer["candles"]] == ["00:15", "00:00"]
    first = answer["candles"][-1]
    prices = [first[name] for name in ("open", "high", "low", "close")]
    assert prices == [0.0000015, 0.0000035, 0.0000015, 0.0000035]
    assert (first["volumeUsd"], first["liquidityUsd"], first["trades"]) == (20, 5000, 6)


@pytest.mark.usefixtures("traded")
async def test_an_interval_that_began_before_the_range_is_not_in_it(service: Service) -> None:
    answer = (await service.get(PATH, interval="5m", **{"from": "2026-05-01T02:21:00Z", "to": "2026-05-02"})).json()
    assert [candle["timestamp"][11:16] for candle in answer["candles"]] == ["02:25"]


@pytest.mark.usefixtures("traded")
@pytest.mark.parametrize(
    ("asked", "field"),
    [
        ({"interval": "2h"}, "interval"),
        ({"limit": "0"}, "limit"),
        ({"limit": "1001"}, "limit"),
        ({"from": "yesterday"}, "from"),
        ({"to": "1e9"}, "to"),
        ({"from": "2026-05-02", "to": "2026-05-01"}, "from"),
        ({"cursor": "x"}, "cursor"),
        ({"tokenAddress": "0x12"}, "tokenAddress"),
    ],
)
async def test_bad_input_names_its_field(service: Service, asked: dict[str, str], field: str) -> None:
    answer = await service.get(PATH, **asked)
    assert answer.status_code == 400
    assert field in answer.json()["error"]


@pytest.mark.usefixtures("traded")
async def test_unknown_tokens_and_chains_are_refused(service: Service) -> None:
    assert (await service.get("/token/NOBODY/base/candles")).status_code in (404, 422)
    assert (await service.get("/token/PEPE/nochain/candles")).status_code == 400


@pytest.mark.usefixtures("traded")
async def test_a_range_at_the_end_of_time_is_empty(service: Service) -> None:
    for interval in ("5m", "1d"):
        answer = await service.get(PATH, interval=interval, **{"from": "4294967294", "to": "4294967295"})
        assert (answer.status_code, answer.json()["candles"]) == (200, [])
