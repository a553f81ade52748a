"""A store or a warehouse that accepts connections and never answers."""

import asyncio
import time
from collections.abc import AsyncIterator

import pytest

from api.warehouse import WarehouseReader
from tests.fixtures.stalling_proxy import StallingProxy, stalling_proxy
from warehouse.engines import EngineUrls
from warehouse.errors import StoreUnavailable, WarehouseUnavailable
from warehouse.store import Store

LIMIT_SECONDS = 2.0
WITHIN_SECONDS = 20.0


@pytest.fixture
async def behind(line: StallingProxy, store_url: str) -> AsyncIterator[Store]:
    """A store of two connections behind the proxy, both in the pool."""
    store = Store(line.url(store_url), pool_size=2, timeout_seconds=LIMIT_SECONDS)
    await asyncio.gather(*(store.row("SELECT pg_sleep(0.05)") for _ in range(2)))
    yield store
    await store.close()


async def seconds_of(*operations: "asyncio.Future[object]") -> float:
    began = time.monotonic()
    for outcome in await asyncio.gather(*operations, return_exceptions=True):
        assert isinstance(outcome, StoreUnavailable), outcome
    return time.monotonic() - began


async def write(store: Store) -> None:
    async with store.transaction() as transaction:
        await transaction.execute("INSERT INTO account (wallet, plan) VALUES (gen_random_uuid()::text, 'free')")


async def test_reads_and_writes_end_at_the_limit_and_the_pool_recovers(behind: Store, line: StallingProxy) -> None:
    line.stall()
    waits = [asyncio.ensure_future(behind.row("SELECT 1")) for _ in range(5)]
    waits += [asyncio.ensure_future(write(behind)) for _ in range(5)]
    assert await seconds_of(*waits) < WITHIN_SECONDS
    line.resume()
    done = await asyncio.gather(*(behind.row("SELECT 1 AS one") for _ in range(8)), write(behind))
    assert done[0] == {"one": 1}


async def test_a_stall_rolls_the_transaction_back(behind: Store, line: StallingProxy) -> None:
    async def write_and_stall() -> None:
        async with behind.transaction() as transaction:
            await transaction.execute("INSERT INTO account (wallet, plan) VALUES ('0xhalf', 'free')")
            line.stall()
            await transaction.execute("SELECT 1")

    assert await seconds_of(asyncio.ensure_future(write_and_stall())) < WITHIN_SECONDS
    line.resume()
    assert await behind.row("SELECT 1 FROM account WHERE wallet = '0xhalf'") is None


async def test_a_store_that_never_answers_is_unavailable(store_url: str, line: StallingProxy) -> None:
    line.stall()
    store = Store(line.url(store_url), pool_size=2, timeout_seconds=LIMIT_SECONDS)
    waits = [asyncio.ensure_future(store.row("SELECT 1")) for _ in range(6)]
    assert await seconds_of(*waits) < WITHIN_SECONDS
    line.resume()
    assert await store.row("SELECT 1 AS one") == {"one": 1}
    await store.close()


async def test_connections_closed_while_idle_are_replaced(behind: Store, line: StallingProxy) -> None:
    line.sever()
    await asyncio.gather(behind.row("SELECT 1"), behind.row("SELECT 1"))
    line.sever()
    await write(behind)


async def test_a_slow_statement_is_cancelled_in_the_server(behind: Store) -> None:
    assert await seconds_of(asyncio.ensure_future(behind.row("SELECT pg_sleep(60)"))) < WITHIN_SECONDS
    running = "SELECT count(*) AS n FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep(60)%%' AND state = 'active'"
    deadline = time.monotonic() + WITHIN_SECONDS
    while await behind.row(running) != {"n": 0}:  # the server's clock started a moment later
        assert time.monotonic() < deadline


@pytest.mark.slow
async def test_a_silent_warehouse_times_out_and_is_used_again_later(engines: EngineUrls) -> None:
    async with stalling_proxy(engines.clickhouse_url) as line:
        reader = WarehouseReader(line.url(engines.clickhouse_url), timeout_seconds=LIMIT_SECONDS)
        line.stall()
        for _ in range(2):
            began = time.monotonic()
            outcomes = await asyncio.gather(*(reader.rows("SELECT 1") for _ in range(5)), return_exceptions=True)
            assert all(isinstance(outcome, WarehouseUnavailable) for outcome in outcomes), outcomes
            assert time.monotonic() - began < WITHIN_SECONDS
            line.resume()
            assert await reader.rows("SELECT 1 AS one") == [{"one": 1}]
            line.stall()
        line.resume()
        line.sever()
        assert await reader.rows("SELECT 1 AS one") == [{"one": 1}]
        await reader.close()
