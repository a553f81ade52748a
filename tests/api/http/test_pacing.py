"""Answers that no limit counts are slowed for an address that asks for too many; counted ones never are."""

import asyncio
import time
from collections.abc import AsyncIterator

import pytest

from tests.fixtures.clocks import ManualClock
from tests.fixtures.limits import ServeLimited
from tests.fixtures.service import Service

UNCOUNTED = ("/nothing", "/health/live", "/health/ready", "/api/v2/search?symbol=PEPE", "/api/v2/account")


@pytest.fixture
async def strict(serve_limited: ServeLimited) -> AsyncIterator[Service]:
    """A service that answers five uncounted requests a minute at once."""
    async with serve_limited(public="uncounted_per_minute = 5\nwrong_keys_per_minute = 1000") as service:
        yield service


async def is_held(service: Service, path: str, **headers: str) -> bool:
    """Whether the answer is held back."""
    before, began = held(service), time.monotonic()
    await service.anonymous.get(path, headers=headers)
    if held(service) == before:
        return False
    assert time.monotonic() - began >= 1
    return True


def held(service: Service) -> float:
    return service.services.metrics.registry.get_sample_value("regalia_answers_held_total") or 0


async def exhaust(service: Service) -> None:
    assert [await is_held(service, "/nothing") for _ in range(5)] == [False] * 5


@pytest.mark.slow
@pytest.mark.parametrize("path", UNCOUNTED)
async def test_uncounted_answers_are_held_back_beyond_a_number(strict: Service, path: str) -> None:
    await exhaust(strict)
    assert await is_held(strict, path)
    assert await is_held(strict, "/api/v2/config/fees", **{"X-API-Key": "rgl_live_x"})


async def test_counted_answers_of_the_address_are_not_held_back(strict: Service) -> None:
    await exhaust(strict)
    for path in ("/api/v2/config/fees", "/api/v2/registration/PEPE/roles", "/api/v2/nothing"):
        counted = path != "/api/v2/nothing"
        assert await is_held(strict, path, **{"X-API-Key": strict.key}) != counted, path
    assert not await is_held(strict, "/openapi.json")


async def test_held_answers_take_no_slot(strict: Service) -> None:
    await exhaust(strict)
    asked = [asyncio.create_task(strict.anonymous.get("/api/v2/search?symbol=PEPE")) for _ in range(40)]
    for _ in range(1_000):
        await asyncio.sleep(0.01)
        if held(strict) == 40:
            break
    text = await asyncio.to_thread(strict.services.metrics.text)
    assert b'regalia_admission_working{class="searches"} 0.0' in text
    await asyncio.gather(*asked)


async def test_the_next_minute_begins_anew(strict: Service, clock: ManualClock) -> None:
    await exhaust(strict)
    clock.advance(seconds=60)
    assert not await is_held(strict, "/nothing")
