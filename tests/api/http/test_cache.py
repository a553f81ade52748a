"""The in-process cache: who shares what is computed."""

import asyncio
from itertools import count

from api.http.cache import Cache
from api.http.metrics import Metrics


async def test_a_refresh_shares_only_what_began_after_it() -> None:
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


async def test_what_was_being_computed_when_it_was_forgotten_is_not_kept() -> None:
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


async def test_a_refresh_begins_anew_where_what_it_waited_for_failed() -> None:
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
