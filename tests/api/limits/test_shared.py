"""The limiter in the store: exact over processes, and clear about an outage."""

import asyncio
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from typing import Any
from uuid import uuid4

import pytest

from api.clock import SystemClock
from api.limits.coalescing import Coalescer
from api.limits.grants import Subject
from api.limits.plans import PlanLimits
from api.limits.shared import StoreMeter
from tests.fixtures.service import Serve
from tests.fixtures.usage import new_key, usage_counts, usage_events
from warehouse.errors import StoreUnavailable
from warehouse.postgres import Connection
from warehouse.store import Store

PROCESSES = 3


def limits(per_second: int, burst: int, per_day: int) -> PlanLimits:
    return PlanLimits(per_second=per_second, burst=burst, per_day=per_day, keys=1, new_keys=1)


@pytest.fixture
async def meter(store_url: str) -> AsyncIterator[StoreMeter]:
    store = Store(store_url)
    made = StoreMeter(Store(store_url, pool_size=4, timeout_seconds=30), store, clock=SystemClock())
    yield made
    await made.close()
    await store.close()


def ask_from_processes(store_url: str, subject: Subject, *figures: int) -> list[int]:
    """The grants of each of several concurrent processes."""
    command = [sys.executable, "-m", "tests.api.limits.asking", store_url, str(subject.id), str(subject.account_id)]
    asking = [
        subprocess.Popen([*command, *map(str, figures)], stdout=subprocess.PIPE, text=True) for _ in range(PROCESSES)
    ]
    return [int(process.communicate(timeout=240)[0]) for process in asking]


def test_processes_share_a_quota_exactly(store_url: str, store: Connection) -> None:
    subject = new_key(store_url, store)
    granted = ask_from_processes(store_url, subject, 100_000, 100_000, 500, 400)
    assert sum(granted) == 500
    assert usage_counts(store) == [500]
    assert usage_events(store) == [
        ("quota.exceeded", 90),
        ("quota.threshold_warning", 80),
        ("usage.threshold", 80),
        ("usage.threshold", 90),
    ]


def test_processes_share_a_bucket(store_url: str, store: Connection) -> None:
    subject = new_key(store_url, store)
    began = time.monotonic()
    granted = ask_from_processes(store_url, subject, 5, 200, 100_000, 150)
    refilled = 5 * (time.monotonic() - began)
    assert 200 <= sum(granted) <= 200 + refilled
    assert usage_counts(store) == [sum(granted)]


async def test_concurrent_requests_are_granted_in_order(meter: StoreMeter, store_url: str, store: Connection) -> None:
    subject, other = new_key(store_url, store), new_key(store_url, store)
    # A bucket that refills so slowly that it does not matter how long the batches take.
    few, many = limits(1, 5, 100).model_copy(update={"per_second": 0.001}), limits(100, 100, 3)
    asked = [(subject, few), (other, many)] * 8
    grants = await asyncio.gather(*(meter.take(*question) for question in asked))
    assert [grant.refusal for grant in grants[::2]] == [None] * 5 + ["rate"] * 3
    assert [grant.refusal for grant in grants[1::2]] == [None] * 3 + ["day"] * 5
    assert [grant.used for grant in grants[:10:2]] == [1, 2, 3, 4, 5]
    assert [round(grant.tokens) for grant in grants[:10:2]] == [4, 3, 2, 1, 0]


async def test_a_window_of_an_address_is_exact(meter: StoreMeter) -> None:
    waits = await asyncio.gather(*(meter.take_of_address("198.51.100.1", "public", 10) for _ in range(25)))
    assert [wait is None for wait in waits] == [True] * 10 + [False] * 15
    assert all(wait is None or 30 < wait <= 60 for wait in waits)
    assert await meter.take_of_address("198.51.100.2", "public", 10) is None


async def test_a_window_restarts_after_its_minute(meter: StoreMeter, store: Connection) -> None:
    for _ in range(3):
        await meter.take_of_address("198.51.100.1", "public", 3)
    assert await meter.take_of_address("198.51.100.1", "public", 3) is not None
    store.execute("UPDATE address_window SET began_at = began_at - interval '1 minute'")
    waits = [await meter.take_of_address("198.51.100.1", "public", 3) for _ in range(4)]
    assert [wait is None for wait in waits] == [True, True, True, False]


async def test_idle_callers_are_dropped(meter: StoreMeter, store_url: str, store: Connection) -> None:
    await meter.take(new_key(store_url, store), limits(1, 1, 1))
    await meter.take_of_address("198.51.100.1", "public", 3)
    store.execute("UPDATE rate_bucket SET counted_at = now() - interval '1 hour'")
    store.execute("UPDATE address_window SET began_at = now() - interval '1 hour'")
    await meter.keep()
    for table in ("rate_bucket", "address_window"):
        assert store.execute(f"SELECT FROM {table}").fetchall() == []


async def test_while_the_store_is_down_keys_get_503_and_addresses_are_counted_locally() -> None:
    nowhere = "postgresql://nobody@127.0.0.1:1/none"
    store = Store(nowhere, timeout_seconds=1)
    down = StoreMeter(Store(nowhere, timeout_seconds=1), store, clock=SystemClock())
    with pytest.raises(StoreUnavailable):
        await down.take(Subject(uuid4(), uuid4(), "free"), limits(1, 1, 1))
    waits = [await down.take_of_address("198.51.100.1", "public", 2) for _ in range(3)]
    assert [wait is None for wait in waits] == [True, True, False]
    await down.close()
    await store.close()


async def test_a_key_that_cannot_be_counted_in_time_gets_503(serve: Serve, store: Connection) -> None:
    async with serve(limits_backend="store", limits=None, store_timeout_seconds=3.0) as service:
        assert (await service.get("/config/fees")).status_code == 200
        with store.transaction():
            store.execute("LOCK TABLE rate_bucket IN ACCESS EXCLUSIVE MODE")
            answer = await service.get("/registry/info")
        assert (answer.status_code, answer.json()["code"]) == (503, "UNAVAILABLE")
        assert answer.headers["retry-after"]
        assert (await service.get("/registry/info")).status_code == 200


async def test_waiting_calls_are_batched() -> None:
    asked: list[list[int]] = []
    release = asyncio.Event()

    async def answer(questions: Any) -> list[int]:
        asked.append(list(questions))
        await release.wait()
        return [2 * question for question in questions]

    coalescer: Coalescer[int, int] = Coalescer(answer)
    tasks = [asyncio.create_task(coalescer.ask(number)) for number in range(5)]
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    late = asyncio.create_task(coalescer.ask(5))
    await asyncio.sleep(0)
    tasks[1].cancel()
    release.set()
    answers = await asyncio.gather(*tasks, late, return_exceptions=True)
    assert [answers[0], *answers[2:]] == [0, 4, 6, 8, 10]
    assert isinstance(answers[1], asyncio.CancelledError)
    assert sum(map(len, asked)) == 6
    assert len(asked) <= 2


async def test_a_failure_reaches_all_callers_of_the_batch_only() -> None:
    failing = True

    async def answer(questions: Any) -> list[int]:
        await asyncio.sleep(0)
        if failing:
            raise StoreUnavailable("gone")
        return list(questions)

    coalescer: Coalescer[int, int] = Coalescer(answer)
    failed = await asyncio.gather(coalescer.ask(1), coalescer.ask(2), return_exceptions=True)
    assert [type(error) for error in failed] == [StoreUnavailable, StoreUnavailable]
    failing = False
    assert await coalescer.ask(3) == 3
