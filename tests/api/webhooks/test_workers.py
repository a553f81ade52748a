"""Several workers, slow receivers, and workers that die at any step."""

import asyncio
import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from api.webhooks.engine import WebhookEngine
from api.webhooks.queue import WebhookQueue
from tests.fixtures.processes import environment, regalia, stop
from tests.fixtures.waiting import wait_until_async
from tests.fixtures.webhooks import Hooks
from warehouse.postgres import Connection

ROOT = Path(__file__).resolve().parents[3]
LEASE_SECONDS = 2.0


def many(store: Connection, count: int) -> None:
    store.execute(
        "INSERT INTO event_log (type, chain_id, subject, payload, dedupe_key, token_id)"
        f" SELECT 'token.minted', 1, 'MANY', '{{}}', 'many:' || gen_random_uuid(), 1 FROM generate_series(1, {count})"
    )


def ids(store: Connection) -> set[str]:
    rows = store.execute("SELECT id FROM event_log WHERE type = 'token.minted'").fetchall()
    return {f"evt_{row['id'].hex}" for row in rows}


def statuses(store: Connection) -> dict[str, int]:
    rows = store.execute("SELECT status, count(*) AS n FROM webhook_delivery GROUP BY status").fetchall()
    return {row["status"]: row["n"] for row in rows}


async def success_examples(engine: WebhookEngine) -> None:
    if engine._sending:
        await asyncio.wait(engine._sending)


async def test_two_workers_send_everything_once(hooks: Hooks) -> None:
    for path in ("a", "b", "c"):
        await hooks.subscribe("token.minted", path=path)
    many(hooks.store, 200)
    engines = [hooks.engine, hooks.new_engine(), hooks.new_engine()]
    await asyncio.gather(*(engine.run_until_idle() for engine in engines))
    sent = Counter((one.path, one.envelope["id"]) for one in hooks.receivers.sent)
    assert len(sent) == 600
    assert set(sent.values()) == {1}


async def test_a_slow_receiver_does_not_delay_another(hooks: Hooks) -> None:
    await hooks.subscribe("token.minted", path="slow")
    await hooks.subscribe("token.minted", path="quick")
    hooks.receivers.wait_seconds["slow"] = 30.0
    many(hooks.store, 300)
    stop = asyncio.Event()
    engine = hooks.new_engine(limit_seconds=4.0)
    running = asyncio.create_task(engine.run(stop))
    await wait_until_async(lambda: len(hooks.receivers.of("quick")) == 300, seconds=120)
    assert len(hooks.receivers.of("slow")) <= 40
    stop.set()
    await running


async def test_an_event_is_sent_as_soon_as_it_is_committed(hooks: Hooks, store_url: str) -> None:
    await hooks.subscribe("token.minted")
    stop = asyncio.Event()
    engine = hooks.new_engine(listen_url=store_url)
    running = asyncio.create_task(engine.run(stop))
    await asyncio.sleep(1.2)  # it is idle
    hooks.clock.advance(seconds=5)
    waits = []
    for count in range(1, 4):
        began = asyncio.get_running_loop().time()
        hooks.record_event()
        await hooks.receivers.wait_for(count)
        waits.append(hooks.receivers.sent[-1].at - began)
    assert min(waits) < 0.5
    stop.set()
    await running
    counted = hooks.store.execute(
        "SELECT sum(value) AS n FROM service_counter WHERE name = 'webhook_attempts_delivered'"
    ).fetchone()
    assert counted == {"n": 3}


async def test_a_worker_that_dies_after_any_step_loses_nothing(hooks: Hooks) -> None:
    """Each step is the last of a worker that was killed; another worker takes over after the lease."""
    made = await hooks.subscribe("token.minted")
    queue = WebhookQueue(hooks.service.services.store)
    await queue.fan_out(hooks.clock.now())  # the account's own events, which nobody subscribed to
    id = hooks.record_event()

    assert await queue.fan_out(hooks.clock.now()) == (1, 1)  # died after making deliveries
    other = hooks.new_engine(lease_seconds=LEASE_SECONDS)
    assert await other.dispatch()  # died after sending, before recording the result
    await success_examples(other)
    await hooks.engine.run_until_idle()
    assert len(hooks.receivers.sent) == 1  # it is leased
    hooks.clock.advance(seconds=LEASE_SECONDS)
    await hooks.engine.run_until_idle()
    assert [one.envelope["id"] for one in hooks.receivers.sent] == [id, id]
    await other.record()  # it was alive after all: its result no longer counts
    [delivery] = await hooks.deliveries(made["id"])
    assert (delivery["status"], delivery["attempts"]) == ("delivered", 1)


async def test_recording_a_result_twice_changes_nothing(hooks: Hooks) -> None:
    made = await hooks.subscribe("token.minted")
    hooks.receivers.answers["hook"] = 500
    hooks.record_event()
    await hooks.engine.fan_out()
    await hooks.engine.dispatch()
    await success_examples(hooks.engine)
    kept = list(hooks.engine._results)
    assert await hooks.engine.record()
    hooks.engine._results = kept
    assert await hooks.engine.record()
    [delivery] = await hooks.deliveries(made["id"])
    assert (delivery["status"], delivery["attempts"]) == ("pending", 1)


async def test_an_unreadable_secret_is_not_the_receivers_failure(hooks: Hooks) -> None:
    made = await hooks.subscribe("token.minted")
    await hooks.subscribe("token.minted", path="other")
    hooks.store.execute("UPDATE webhook_secret SET sealed = '\\x01' WHERE subscription_id = %s", (made["id"],))
    hooks.record_event()
    await hooks.engine.run_until_idle()
    assert [one.path for one in hooks.receivers.sent] == ["/other"]
    [delivery] = await hooks.deliveries(made["id"])
    assert (delivery["status"], delivery["attempts"]) == ("pending", 0)


def settings_of_workers(store_url: str, data_dir: Path) -> dict[str, str]:
    """Settings of processes that send to this machine."""
    return {
        "DATABASE_URL": store_url,
        "CLICKHOUSE_URL": "http://127.0.0.1:9/unused",
        "DATA_DIR": str(data_dir),
        "OUTBOUND_LOOPBACK": "true",
    }


@pytest.mark.slow
async def test_two_worker_processes_send_everything_once(hooks: Hooks, store_url: str, data_dir: Path) -> None:
    for path in ("a", "b"):
        await hooks.subscribe("token.minted", path=path)
    settings = settings_of_workers(store_url, data_dir)
    with regalia("worker", **settings) as one, regalia("worker", **settings) as other:
        listening = "SELECT count(*) AS n FROM jobs.procrastinate_workers"
        await wait_until_async(lambda: hooks.store.execute(listening).fetchone() == {"n": 2}, seconds=60)
        for count in (100, 100):
            many(hooks.store, count)
        await wait_until_async(lambda: statuses(hooks.store) == {"delivered": 400}, seconds=60)
        assert [await asyncio.to_thread(stop, worker) for worker in (one, other)] == [0, 0]
    sent = Counter((one.path, one.envelope["id"]) for one in hooks.receivers.sent)
    assert set(sent.values()) == {1}
    assert {id for _, id in sent} == ids(hooks.store)


@pytest.mark.slow
async def test_killed_workers_lose_no_event(hooks: Hooks, store_url: str, data_dir: Path) -> None:
    """Real worker processes are killed while they receive, send and record results."""
    await hooks.subscribe("token.minted", path="a")
    await hooks.subscribe("token.minted", path="b")
    settings = environment(**settings_of_workers(store_url, data_dir), WEBHOOK_LEASE_SECONDS=str(6))
    workers: list[subprocess.Popen[bytes]] = []

    def start() -> None:
        workers.append(
            subprocess.Popen([sys.executable, "-m", "api.worker"], cwd=ROOT, env=settings, stderr=subprocess.DEVNULL)
        )

    def kill(_: Any = None) -> None:
        os.kill(workers[-1].pid, signal.SIGKILL)

    try:
        start()
        for kills in (1, 60):  # in the middle of the first request, and of later ones
            hooks.receivers.on_request = lambda _, at=kills: kill() if len(hooks.receivers.sent) == at else None
            many(hooks.store, 50)
            await wait_until_async(lambda: workers[-1].poll() is not None, seconds=180)
            start()
        hooks.receivers.on_request = None
        expected = ids(hooks.store)
        assert len(expected) == 100
        # As if the leases of the killed workers had expired, which takes at least six seconds.
        hooks.store.execute("UPDATE webhook_delivery SET due_at = now() WHERE lease IS NOT NULL AND status = 'pending'")
        await wait_until_async(lambda: statuses(hooks.store) == {"delivered": 200}, seconds=40)
        for path in ("a", "b"):
            assert {one.envelope["id"] for one in hooks.receivers.of(path)} == expected
        workers[-1].terminate()
        assert await asyncio.to_thread(workers[-1].wait, 15) == 0
    finally:
        for worker in workers:
            worker.kill()
            worker.wait()
