"""A worker process runs jobs and deliveries, and ends when either fails."""

import asyncio

import pytest

from api.webhooks.engine import WebhookEngine
from api.worker import run_parallel
from tests.fixtures.webhooks import Hooks


async def never() -> None:
    await asyncio.Event().wait()


async def test_a_failed_engine_ends_the_worker(hooks: Hooks) -> None:
    hooks.store.execute("DROP TABLE webhook_attempt, webhook_delivery")
    with pytest.raises(Exception, match="webhook_delivery"):
        await asyncio.wait_for(run_parallel(never(), [hooks.engine]), 30)


async def test_running_deliveries_finish_when_the_jobs_end(hooks: Hooks) -> None:
    made = await hooks.subscribe("token.minted")
    hooks.receivers.wait_seconds["hook"] = 0.5
    hooks.record_event()

    async def until_it_is_sent() -> None:
        await hooks.receivers.wait_for(1)

    await asyncio.wait_for(run_parallel(until_it_is_sent(), [hooks.engine]), 30)
    assert [one["status"] for one in await hooks.deliveries(made["id"])] == ["delivered"]


@pytest.mark.parametrize("turns", range(6))
async def test_an_engine_notified_while_stopping_still_stops(hooks: Hooks, turns: int) -> None:
    stop = asyncio.Event()
    running = asyncio.create_task(hooks.engine.run(stop))
    await asyncio.sleep(0.1)
    stop.set()
    for _ in range(turns):
        await asyncio.sleep(0)
    hooks.engine.notify()
    async with asyncio.timeout(30):
        await running


async def test_the_engine_waits_while_the_store_is_away(hooks: Hooks, store_url: str) -> None:
    await hooks.subscribe("token.minted")
    stop = asyncio.Event()
    engine: WebhookEngine = hooks.new_engine(listen_url=store_url)
    running = asyncio.create_task(engine.run(stop))
    await asyncio.sleep(0.3)
    hooks.store.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        " WHERE datname = current_database() AND pid <> pg_backend_pid()"
    )
    hooks.record_event()
    await hooks.receivers.wait_for(1)
    stop.set()
    await running
