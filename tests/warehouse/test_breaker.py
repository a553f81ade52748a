"""When a circuit opens, what it refuses, and when it closes."""

import asyncio
import time
from collections.abc import AsyncIterator

import pytest

from tests.fixtures.waiting import wait_until_async
from warehouse import breaker as module
from warehouse.breaker import Breaker, CircuitOpen, ended_by


class Outage(Exception):
    pass


class Dependency:
    """Answers probes while it is up; otherwise it refuses them, or says nothing until it is up again."""

    def __init__(self) -> None:
        self.silent = False
        self.probes = 0
        self._up = asyncio.Event()
        self._up.set()

    def stop(self, *, silently: bool = False) -> None:
        self.silent = silently
        self._up.clear()

    def start(self) -> None:
        self._up.set()

    async def probe(self) -> bool:
        self.probes += 1
        if self.silent:
            await self._up.wait()
        return self._up.is_set()


@pytest.fixture(autouse=True)
def fast(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, seconds in {"SLOW_SECONDS": 0.1, "ROUND_SECONDS": 0.05, "PROBE_SECONDS": 0.15}.items():
        monkeypatch.setattr(module, name, seconds)


@pytest.fixture
def dependency() -> Dependency:
    return Dependency()


@pytest.fixture
async def breaker(dependency: Dependency) -> AsyncIterator[Breaker]:
    made = Breaker("engine", dependency.probe, outages=(Outage,))
    yield made
    await made.close()


async def fail(breaker: Breaker) -> None:
    with pytest.raises(Outage):
        async with ended_by(breaker):
            raise Outage


async def hang(breaker: Breaker, seconds: float = 60.0) -> None:
    async with ended_by(breaker):
        await asyncio.sleep(seconds)


@pytest.mark.parametrize("silent", [True, False])
async def test_it_opens_when_no_probe_is_answered(breaker: Breaker, dependency: Dependency, silent: bool) -> None:
    dependency.stop(silently=silent)
    await fail(breaker)
    assert not breaker.is_open
    await wait_until_async(lambda: breaker.is_open)
    assert breaker.openings == 1
    assert dependency.probes >= 3


async def test_while_open_calls_are_refused(breaker: Breaker, dependency: Dependency) -> None:
    dependency.stop()
    await fail(breaker)
    await wait_until_async(lambda: breaker.is_open)
    for _ in range(3):
        with pytest.raises(CircuitOpen):
            async with ended_by(breaker):
                raise AssertionError("it was asked")
    assert breaker.refused == 3


async def test_calls_that_wait_are_ended_when_it_opens(breaker: Breaker, dependency: Dependency) -> None:
    dependency.stop(silently=True)
    calls = [asyncio.create_task(hang(breaker)) for _ in range(20)]
    async with asyncio.timeout(30):
        outcomes = await asyncio.gather(*calls, return_exceptions=True)
    assert {type(outcome) for outcome in outcomes} == {TimeoutError}


@pytest.mark.parametrize("silent", [True, False])
async def test_it_closes_with_the_first_answer(breaker: Breaker, dependency: Dependency, silent: bool) -> None:
    dependency.stop(silently=silent)
    await fail(breaker)
    await wait_until_async(lambda: breaker.is_open)
    dependency.start()
    await wait_until_async(lambda: not breaker.is_open)
    await hang(breaker, 0.01)
    dependency.stop()
    await fail(breaker)
    await wait_until_async(lambda: breaker.openings == 2)


async def test_failing_calls_do_not_open_it_while_probes_are_answered(breaker: Breaker, dependency: Dependency) -> None:
    for _ in range(50):
        await fail(breaker)
        await asyncio.sleep(0.005)
    assert breaker.openings == 0
    assert dependency.probes > 0


async def test_slow_calls_do_not_open_it_while_probes_are_answered(breaker: Breaker, dependency: Dependency) -> None:
    await asyncio.gather(*(hang(breaker, 0.5) for _ in range(20)))
    assert breaker.openings == 0
    assert dependency.probes > 0


async def test_it_stays_closed_while_calls_are_answered(breaker: Breaker, dependency: Dependency) -> None:
    """A busy dependency answers probes late, behind calls."""
    dependency.stop(silently=True)
    await fail(breaker)
    for _ in range(30):
        await hang(breaker, 0.02)
    assert breaker.openings == 0
    await wait_until_async(lambda: breaker.is_open)


async def test_clients_that_leave_raise_no_suspicion(breaker: Breaker, dependency: Dependency) -> None:
    dependency.stop()
    for _ in range(50):
        call = asyncio.create_task(hang(breaker))
        await asyncio.sleep(0)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
    await asyncio.sleep(0.2)
    assert (breaker.openings, dependency.probes) == (0, 0)


async def test_other_errors_raise_no_suspicion(breaker: Breaker, dependency: Dependency) -> None:
    dependency.stop()
    with pytest.raises(ValueError, match="ours"):
        async with ended_by(breaker):
            raise ValueError("ours")
    await asyncio.sleep(0.1)
    assert dependency.probes == 0


async def test_a_process_that_was_held_up_does_not_open_it(breaker: Breaker, dependency: Dependency) -> None:
    await fail(breaker)
    await asyncio.sleep(0)
    time.sleep(0.5)  # noqa: ASYNC251 - the loop does not run, and so no probe is answered
    await asyncio.sleep(0.1)
    assert breaker.openings == 0
