"""A dependency that stops answering: requests fail at once, and work again as soon as it does."""

import asyncio
import os
import signal
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest

from api.breakers import guard_store, guard_warehouse
from api.chains import ChainReaders
from api.warehouse import WarehouseReader
from indexer.chains.errors import NodeUnavailable
from indexer.chains.evm.reader import EvmReader
from indexer.devchain.anvil import Anvil
from tests.factories.token_lists import add_listed
from tests.factories.tokens import publish, token_row
from tests.fixtures.faulty_node import faulty_node
from tests.fixtures.killable_engines import KillableEngines
from tests.fixtures.service import Serve, Service
from tests.fixtures.stalling_proxy import StallingProxy, stalling_proxy
from tests.fixtures.waiting import wait_until_async
from warehouse.breaker import Breaker
from warehouse.chains import facts
from warehouse.clickhouse import Warehouse
from warehouse.embedded import record
from warehouse.engines import EngineUrls
from warehouse.errors import StoreUnavailable, WarehouseUnavailable
from warehouse.postgres import Connection
from warehouse.store import Store

FIRST_SECONDS = 30.0
"""Until the circuit is open: a second, and four rounds of half a second, on a busy machine. Reads themselves may take
longer here."""
LIMIT_SECONDS = 60.0
RECOVERED_SECONDS = 20.0
Ask = Callable[[], Awaitable[httpx.Response]]


async def timed(ask: Ask) -> tuple[float, httpx.Response]:
    began = time.monotonic()
    answer = await ask()
    return time.monotonic() - began, answer


async def refuses_at_once_and_recovers(breaker: Breaker, line: StallingProxy, ask: Ask, normal: int) -> None:
    """While ``line`` is stalled, requests are answered 503 without asking it; they get ``normal`` before and after."""
    assert (await ask()).status_code == normal
    line.stall()
    first, answer = await timed(ask)
    assert (answer.status_code, first < FIRST_SECONDS) == (503, True), first
    await wait_until_async(lambda: breaker.is_open)
    refused = breaker.refused
    answers = [await ask() for _ in range(9)]
    assert {answer.status_code for answer in answers} == {503}
    assert all(int(answer.headers["retry-after"]) >= 1 for answer in answers)
    assert breaker.refused >= refused + 9
    line.resume()
    began = time.monotonic()
    while (await ask()).status_code != normal:
        assert time.monotonic() - began < RECOVERED_SECONDS
        await asyncio.sleep(0.05)


@pytest.mark.slow
async def test_a_frozen_warehouse(serve: Serve, warehouse: Warehouse, warehouse_url: str) -> None:
    publish(warehouse, [token_row("PEPE", address=1)])
    symbols = (f"S{number}" for number in range(10_000))
    async with (
        stalling_proxy(warehouse_url) as line,
        serve(clickhouse_url=line.url(warehouse_url), query_timeout_seconds=LIMIT_SECONDS) as service,
    ):
        breaker = service.services.warehouse_breaker
        await refuses_at_once_and_recovers(breaker, line, lambda: service.get("/search", symbol=next(symbols)), 200)


@pytest.mark.slow
async def test_a_frozen_store(serve: Serve, store_url: str, line: StallingProxy) -> None:
    async with serve(database_url=store_url) as service:
        services = service.services
        guarded = guard_store(line.url(store_url))
        stalled = Store(line.url(store_url), timeout_seconds=LIMIT_SECONDS, breaker=guarded.breaker)
        services.store = stalled
        services.api_keys.store = stalled
        await refuses_at_once_and_recovers(
            guarded.breaker, line, lambda: service.client.get("/registration/PEPE/roles"), 404
        )
        await guarded.close()
        await stalled.close()


@pytest.fixture
async def node_line(registry_node: Anvil) -> AsyncIterator[StallingProxy]:
    async with stalling_proxy(registry_node.url) as line:
        yield line


@pytest.fixture
async def on_chain(
    serve: Serve, registry_node: Anvil, node_line: StallingProxy, tmp_path: Path
) -> AsyncIterator[Service]:
    chain_id = int(registry_node.rpc("eth_chainId"), 16)
    path = tmp_path / "chains.toml"
    path.write_text(f'[chains.base]\nchain_id = {chain_id}\nrpc_urls = ["{node_line.url(registry_node.url)}"]\n')
    async with serve(chains=path, chain_timeout_seconds=LIMIT_SECONDS) as service:
        yield service


async def test_a_frozen_node(on_chain: Service, node_line: StallingProxy) -> None:
    wallets = (f"0x{number:040x}" for number in range(1, 10_000))

    def ask() -> Awaitable[httpx.Response]:
        return on_chain.anonymous.get(f"/api/v2/public/holdings/base/0x{'11' * 20}/{next(wallets)}")

    readers = on_chain.services.readers
    reader = readers.of(on_chain.services.chains.by_key["base"])
    await refuses_at_once_and_recovers(reader.breaker, node_line, ask, 404)


@pytest.mark.slow
async def test_a_stale_coin_is_served_at_once(
    serve: Serve, warehouse: Warehouse, warehouse_url: str, store: Connection
) -> None:
    add_listed(store, "PEPE", 7)
    publish(warehouse, [token_row("PEPE", address=0x70007, registered=True)])
    async with stalling_proxy(warehouse_url) as line, serve(clickhouse_url=line.url(warehouse_url)) as service:

        def ask() -> Awaitable[httpx.Response]:
            for entry in service.services.public_reads._pages.cache._entries.values():
                entry.computed_at -= 90  # stale, but not too old to be served
            return service.anonymous.get("/api/v2/public/coins/base/PEPE")

        fresh = await ask()
        assert fresh.status_code == 200
        line.stall()
        first, answer = await timed(ask)
        assert (answer.status_code, answer.content, first < FIRST_SECONDS) == (200, fresh.content, True)
        service.services.warehouse_breaker.suspect()
        await wait_until_async(lambda: service.services.warehouse_breaker.is_open)
        seconds, answer = await timed(ask)
        assert (answer.status_code, answer.content, seconds < FIRST_SECONDS) == (200, fresh.content, True)
        line.resume()


@pytest.mark.slow
async def test_health_and_metrics_show_open_circuits(serve: Serve, engines: EngineUrls) -> None:
    url = engines.clickhouse_url
    async with stalling_proxy(url) as line, serve(clickhouse_url=line.url(url)) as service:
        line.stall()
        breaker = service.services.warehouse_breaker
        breaker.suspect()
        await wait_until_async(lambda: breaker.is_open)
        answer = await service.anonymous.get("/health/ready")
        assert (answer.status_code, answer.json()["reasons"]) == (503, {"warehouse": "does not answer"})
        assert answer.json()["circuits"] == {"store": "closed", "warehouse": "open"}
        text = await service.metrics()
        assert 'regalia_circuit_open{dependency="warehouse"} 1.0' in text
        assert 'regalia_circuit_open{dependency="store"} 0.0' in text
        assert 'regalia_circuit_openings_total{dependency="warehouse"} 1.0' in text
        line.resume()


@pytest.mark.slow
async def test_polls_of_an_outage_are_logged_once(
    serve: Serve, engines: EngineUrls, caplog: pytest.LogCaptureFixture
) -> None:
    url = engines.clickhouse_url
    async with stalling_proxy(url) as line, serve(clickhouse_url=line.url(url)) as service:
        line.stall()
        service.services.warehouse_breaker.suspect()
        await wait_until_async(lambda: service.services.warehouse_breaker.is_open)
        for number in range(20):
            await service.anonymous.get("/health/ready")
            await service.get("/search", symbol=f"S{number}")
            await asyncio.sleep(0.02)
        line.resume()
    said = [entry for entry in caplog.records if entry.levelname != "DEBUG" and entry.name != "asyncio"]  # the proxy's
    assert [entry for entry in said if entry.exc_info] == []
    assert len([entry for entry in said if "warehouse" in entry.getMessage()]) <= 3


# What must not open a circuit.


@pytest.mark.slow
async def test_expensive_queries_of_the_warehouse_do_not_open_its_circuit(engines: EngineUrls) -> None:
    guarded = guard_warehouse(engines.clickhouse_url)
    reader = WarehouseReader(engines.clickhouse_url, timeout_seconds=4.0, breaker=guarded.breaker)
    endless = "SELECT count() FROM numbers(1000000000000) WHERE sipHash64(number) = 0"
    outcomes = await asyncio.gather(*(reader.rows(endless) for _ in range(8)), return_exceptions=True)
    assert {type(outcome) for outcome in outcomes} == {WarehouseUnavailable}
    assert guarded.breaker.openings == 0
    assert await reader.rows("SELECT 1 AS one") == [{"one": 1}]
    await reader.close()
    await guarded.close()


@pytest.mark.slow
async def test_slow_statements_of_the_store_do_not_open_its_circuit(store_url: str) -> None:
    guarded = guard_store(store_url)
    store = Store(store_url, pool_size=4, timeout_seconds=4.0, breaker=guarded.breaker)
    outcomes = await asyncio.gather(*(store.row("SELECT pg_sleep(20)") for _ in range(12)), return_exceptions=True)
    assert {type(outcome) for outcome in outcomes} == {StoreUnavailable}
    assert guarded.breaker.openings == 0
    assert await store.row("SELECT 1 AS one") == {"one": 1}
    await store.close()
    await guarded.close()


async def test_clients_that_leave_do_not_open_a_circuit(store_url: str, engines: EngineUrls) -> None:
    store_guard, warehouse_guard = guard_store(store_url), guard_warehouse(engines.clickhouse_url)
    store = Store(store_url, pool_size=4, timeout_seconds=4.0, breaker=store_guard.breaker)
    reader = WarehouseReader(engines.clickhouse_url, timeout_seconds=4.0, breaker=warehouse_guard.breaker)
    for _ in range(5):
        calls = [asyncio.create_task(store.row("SELECT pg_sleep(3)")) for _ in range(6)]
        calls += [asyncio.create_task(reader.rows("SELECT sleep(3)")) for _ in range(6)]
        await asyncio.sleep(0.1)
        for call in calls:
            call.cancel()
        await asyncio.gather(*calls, return_exceptions=True)
    assert (store_guard.breaker.openings, warehouse_guard.breaker.openings) == (0, 0)
    assert await store.row("SELECT 1 AS one") == {"one": 1}
    assert await reader.rows("SELECT 1 AS one") == [{"one": 1}]
    for one in (store, reader, store_guard, warehouse_guard):
        await one.close()


@pytest.mark.parametrize("connections", [2, 100])
async def test_a_contract_that_hangs_does_not_open_the_circuit_of_its_chain(
    registry_node: Anvil, tmp_path: Path, connections: int
) -> None:
    """Nor if its calls take all connections."""
    with faulty_node(registry_node.url) as node:

        def delay(requests: list[dict[str, object]]) -> None:
            if any(request["method"] == "eth_call" for request in requests):
                time.sleep(5)

        node.before = delay
        path = tmp_path / "chains.toml"
        chain_id = int(registry_node.rpc("eth_chainId"), 16)
        path.write_text(f'[chains.base]\nchain_id = {chain_id}\nrpc_urls = ["{node.url}"]\n')
        readers = ChainReaders(timeout_seconds=4.0, connections=connections)
        reader = readers.of(facts.load(path).by_key["base"])
        call = ("eth_call", ({"to": "0x" + "11" * 20, "data": "0x"}, "latest"))
        try:
            outcomes = await asyncio.gather(*(reader.settle([call]) for _ in range(8)), return_exceptions=True)
            assert {type(outcome) for outcome in outcomes} == {NodeUnavailable}
            assert reader.breaker.openings == 0
            assert int(await block_number(reader, seconds=30), 16) >= 0
        finally:
            await readers.close()
            await asyncio.sleep(0)  # connections that were ended close in the next turn of the loop


async def block_number(reader: EvmReader, seconds: float) -> Any:
    """The answer once the node has dropped the calls that nobody waits for."""
    async with asyncio.timeout(seconds):
        while True:
            try:
                return await reader.request("eth_blockNumber")
            except NodeUnavailable:
                await asyncio.sleep(1)


# Frozen processes.


def freeze(pid: int, number: signal.Signals) -> None:
    for process in (psutil.Process(pid), *psutil.Process(pid).children(recursive=True)):
        os.kill(process.pid, number)


@pytest.mark.slow
async def test_engines_that_are_stopped_and_continued(tmp_path: Path) -> None:
    engines = KillableEngines(tmp_path)
    try:
        engines.start(record.CLICKHOUSE, record.POSTGRES)
        urls = await asyncio.to_thread(engines.await_ready)
        store_guard, warehouse_guard = guard_store(urls.database_url), guard_warehouse(urls.clickhouse_url)
        store = Store(urls.database_url, timeout_seconds=LIMIT_SECONDS, breaker=store_guard.breaker)
        reader = WarehouseReader(urls.clickhouse_url, timeout_seconds=LIMIT_SECONDS, breaker=warehouse_guard.breaker)
        breakers = {record.POSTGRES: store_guard.breaker, record.CLICKHOUSE: warehouse_guard.breaker}

        async def ask(name: str) -> bool:
            try:
                await (store.row("SELECT 1 AS one") if name == record.POSTGRES else reader.rows("SELECT 1 AS one"))
            except (StoreUnavailable, WarehouseUnavailable):
                return False
            return True

        for name in (record.CLICKHOUSE, record.POSTGRES):
            assert await ask(name)
            freeze(engines._running[name].pid, signal.SIGSTOP)
            began = time.monotonic()
            assert not await ask(name)
            assert time.monotonic() - began < FIRST_SECONDS
            assert breakers[name].is_open
            assert not await ask(name)
            assert breakers[name].refused == 1
            freeze(engines._running[name].pid, signal.SIGCONT)
            began = time.monotonic()
            while not await ask(name):
                assert time.monotonic() - began < RECOVERED_SECONDS
                await asyncio.sleep(0.02)
        for one in (store, reader, store_guard, warehouse_guard):
            await one.close()
    finally:
        engines.kill_all()
