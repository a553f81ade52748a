"""The async pool over a server that falls silent, or whose connections break."""

import asyncio
import gc
import time
from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.fixtures.stalling_proxy import StallingProxy
from tests.fixtures.waiting import wait_until_async
from warehouse.errors import StoreUnavailable
from warehouse.postgres import Connection
from warehouse.store import Store

CONNECTIONS = 4
LIMIT_SECONDS = 2.0
WITHIN_SECONDS = 20.0
OTHERS = """
SELECT FROM pg_stat_activity
WHERE pid != pg_backend_pid()
    AND (datname = current_database() OR backend_type = 'client backend' AND state = 'starting')
"""


@pytest.fixture
async def reads(line: StallingProxy, store_url: str) -> AsyncIterator[Store]:
    made = Store(line.url(store_url), pool_size=CONNECTIONS, timeout_seconds=LIMIT_SECONDS)
    yield made
    await made.close()


async def read(reads: Store) -> list[dict[str, Any]]:
    return await reads.rows("registrations/find_by_id", {"token_id": 7, "chain_id": None})


async def answers(reads: Store, count: int) -> list[Any]:
    return await asyncio.gather(*(read(reads) for _ in range(count)), return_exceptions=True)


@pytest.mark.parametrize("connected", [True, False])
async def test_a_silent_store_ends_every_read_at_the_limit(reads: Store, line: StallingProxy, connected: bool) -> None:
    if connected:
        assert await answers(reads, 2 * CONNECTIONS) == [[]] * 2 * CONNECTIONS
    line.stall()
    began = time.monotonic()
    # More reads than connections: those that wait for a turn are ended too.
    ended = await answers(reads, 3 * CONNECTIONS)
    assert time.monotonic() - began < WITHIN_SECONDS
    assert [type(outcome) for outcome in ended] == [StoreUnavailable] * 3 * CONNECTIONS
    line.resume()
    assert await answers(reads, 3 * CONNECTIONS) == [[]] * 3 * CONNECTIONS


async def test_connections_that_broke_while_idle_are_replaced_unnoticed(reads: Store, line: StallingProxy) -> None:
    await answers(reads, CONNECTIONS)
    line.sever()
    assert await answers(reads, 2 * CONNECTIONS) == [[]] * 2 * CONNECTIONS


async def test_a_connection_that_breaks_during_a_read_is_never_used_again(reads: Store, line: StallingProxy) -> None:
    await read(reads)
    line.stall()
    under_way = asyncio.ensure_future(answers(reads, CONNECTIONS))
    await asyncio.sleep(LIMIT_SECONDS / 3)
    line.sever()
    line.resume()
    for outcome in await under_way:
        assert outcome == [] or isinstance(outcome, StoreUnavailable)
    assert await answers(reads, 2 * CONNECTIONS) == [[]] * 2 * CONNECTIONS


async def test_a_read_that_outlives_close_leaves_no_connection(
    reads: Store, line: StallingProxy, store: Connection
) -> None:
    await read(reads)
    line.stall()
    under_way = asyncio.ensure_future(answers(reads, 2))
    await asyncio.sleep(LIMIT_SECONDS / 3)
    await reads.close()
    line.resume()
    assert await under_way == [[], []]
    await wait_until_async(lambda: not store.execute(OTHERS).fetchall(), "the connections are closed")


async def test_reads_that_are_cancelled_while_they_connect_leave_no_connection(
    store_url: str, store: Connection
) -> None:
    """Not even until garbage is collected."""
    gc.disable()
    try:
        for number in range(40):
            reads = Store(store_url)
            under_way = asyncio.create_task(read(reads))
            await asyncio.sleep(0.0003 * number)
            under_way.cancel()
            await asyncio.gather(under_way, return_exceptions=True)
            await reads.close()
        seen = "they are closed before the server gives up on their logins"
        await wait_until_async(lambda: not store.execute(OTHERS).fetchall(), seen, 5)
    finally:
        gc.enable()
