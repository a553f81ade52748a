"""The in-process cache: sharing, failures and stale values."""

import asyncio
from itertools import count

from api.http.cache import Cache
from api.http.metrics import Metrics


async def test_a_refresh_shares_only_later_computations() -> None:
    begun, gate = count(1), asyncio.Event()

    async def compute() -> int:
        number = next(begun)
        await gate.wait()
        return number

    cache = Cache[int]("made", ttl_seconds=60, metrics=Metrics())
    first = asyncio.create_task(cache.get("key", compute))
    await asyncio.sleep(0)
    joining = asyncio.create_task(cache.get("key", compute))
    refreshing = [asyncio.create_task(cache.get("key", compute, refresh=True)) for _ in range(3)]
    await asyncio.sleep(0)
    gate.set()
    assert [await first, await joining, *[await one for one in refreshing]] == [1, 1, 2, 2, 2]
    assert await cache.get("key", compute) == 2


async def test_a_value_removed_during_its_computation_is_not_kept() -> None:
    begun, gate = count(1), asyncio.Event()

    async def compute() -> int:
        number = next(begun)
        await gate.wait()
        return number

    cache = Cache[int]("made", ttl_seconds=60, metrics=Metrics())
    before = asyncio.create_task(cache.get("key", compute))
    await asyncio.sleep(0)
    cache.forget("key")
    after = asyncio.create_task(cache.get("key", compute))
    await asyncio.sleep(0)
    gate.set()
    assert [await before, await after] == [1, 2]
    assert await cache.get("key", compute) == 2


async def test_a_refresh_computes_again_after_a_failure() -> None:
    gate, outcomes = asyncio.Event(), iter([OSError("gone"), 5])

    async def compute() -> int:
        outcome = next(outcomes)
        await gate.wait()
        if isinstance(outcome, OSError):
            raise outcome
        return outcome

    cache = Cache[int]("made", ttl_seconds=60, metrics=Metrics())
    first = asyncio.create_task(cache.get("key", compute))
    await asyncio.sleep(0)
    refreshing = asyncio.create_task(cache.get("key", compute, refresh=True))
    await asyncio.sleep(0)
    gate.set()
    await asyncio.wait([first])
    assert isinstance(first.exception(), OSError)
    assert await refreshing == 5


async def test_a_stale_value_is_served_while_it_is_computed_again() -> None:
    now, outcomes = [0.0], iter([1, OSError("gone"), 2])

    async def compute() -> int:
        outcome = next(outcomes)
        if isinstance(outcome, OSError):
            raise outcome
        return outcome

    cache = Cache[int](
        "made", ttl_seconds=2, stale_seconds=10, revalidates=True, metrics=Metrics(), monotonic=lambda: now[0]
    )
    assert await cache.get("key", compute) == 1
    now[0] = 3
    assert await cache.get("key", compute) == 1, "the failure of the background is not the caller's"
    await asyncio.sleep(0.01)
    assert await cache.get("key", compute) == 1
    await asyncio.sleep(0.01)
    assert await cache.get("key", compute) == 2


async def test_a_value_beyond_its_stale_time_is_computed_before_it_is_served() -> None:
    now, values = [0.0], count(1)

    async def compute() -> int:
        return next(values)

    cache = Cache[int](
        "made", ttl_seconds=2, stale_seconds=10, revalidates=True, metrics=Metrics(), monotonic=lambda: now[0]
    )
    assert await cache.get("key", compute) == 1
    now[0] = 12
    assert await cache.get("key", compute) == 2
