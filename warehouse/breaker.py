"""A circuit breaker: refuses calls of a dependency at once while it does not answer.

Calls alone cannot tell a dependency that is down from one client's expensive query: both take long and fail. So they
only raise suspicion, by failing or by taking longer than a second. A suspected dependency is probed with the cheapest
question it can be asked, over connections of the probe's own. If it answers any probe, nothing happens; if it answers
neither a probe nor a call for four rounds of half a second, the circuit opens: calls that wait are ended, and new ones
are refused. Probing goes on, and the first answer closes the circuit.

    closed ──(a call fails or is slow)──> suspected ──(no probe answered)──> open
       ^                                      │                               │
       └────────(any probe answered)──────────┴───────(any probe answered)────┘

A call that is cancelled, because its client left, says nothing about the dependency.
"""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from types import TracebackType
from typing import Final

LOG = logging.getLogger(__name__)
SLOW_SECONDS: Final = 1.0
"""A call that takes longer raises suspicion."""
ROUND_SECONDS: Final = 0.5
"""A probe is sent each time this has passed, whether or not the earlier ones were answered."""
ROUNDS: Final = 4
"""Rounds without an answer after which the circuit opens. Rounds, not seconds: a process that was held up itself must
not take its own silence for the dependency's."""
PROBE_SECONDS: Final = ROUNDS * ROUND_SECONDS
"""The time limit of a probe."""


class CircuitOpen(Exception):
    """The dependency does not answer, and was not asked."""


class Breaker:
    """The breaker of one dependency, for one event loop.

    Args:
        name: of the dependency, in logs and metrics.
        probe: whether the dependency answers. An exception means no. It should end within ``PROBE_SECONDS``.
        outages: errors of calls that raise suspicion.
    """

    def __init__(
        self, name: str, probe: Callable[[], Awaitable[bool]], *, outages: tuple[type[Exception], ...]
    ) -> None:
        self.name = name
        self.is_open = False
        self.openings = 0
        self.refused = 0
        self._probe = probe
        self._outages = outages
        self._calls: set[_Call] = set()
        self._answered_calls = 0
        self._watching: asyncio.Task[None] | None = None

    def call(self, end: Callable[[], None]) -> "_Call":
        """A block around one call: ``with breaker.call(end): ...``. ``end`` is called when the circuit opens
        meanwhile, and must make the call fail soon.

        Raises:
            CircuitOpen: on entering the block, while the circuit is open.
        """
        return _Call(self, end)

    def suspect(self) -> None:
        """Probe the dependency, unless that is going on."""
        if self._watching is None:
            self._watching = asyncio.get_running_loop().create_task(self._watch())

    async def close(self) -> None:
        """Stop probing."""
        if self._watching is not None:
            self._watching.cancel()
            await asyncio.wait([self._watching])

    async def _watch(self) -> None:
        probes: set[asyncio.Task[bool]] = set()
        began, silent_rounds, heard = time.monotonic(), 0, self._answered_calls
        try:
            while True:
                probes.add(asyncio.create_task(self._is_alive()))
                if await _any_succeeds(probes, ROUND_SECONDS):
                    break
                # A busy dependency may leave probes waiting behind calls that it answers.
                silent_rounds = silent_rounds + 1 if heard == self._answered_calls else 0
                heard = self._answered_calls
                if silent_rounds >= ROUNDS and not self.is_open:
                    self._open()
        finally:
            self._watching = None
            for probe in probes:
                probe.cancel()
        if self.is_open:
            self.is_open = False
            LOG.warning("the %s answers again, after %.1f s", self.name, time.monotonic() - began)

    async def _is_alive(self) -> bool:
        try:
            async with asyncio.timeout(PROBE_SECONDS):
                return await self._probe()
        except Exception as error:  # whatever it is, the dependency did not answer
            LOG.debug("the %s does not answer a probe: %s", self.name, error)
            return False

    def _open(self) -> None:
        self.is_open = True
        self.openings += 1
        LOG.warning("the %s does not answer; %d calls are ended, others refused", self.name, len(self._calls))
        for call in tuple(self._calls):
            call.end()


class _Call:
    __slots__ = ("_breaker", "_timer", "end")

    def __init__(self, breaker: Breaker, end: Callable[[], None]) -> None:
        self._breaker = breaker
        self._timer: asyncio.TimerHandle | None = None
        self.end = end

    def __enter__(self) -> None:
        breaker = self._breaker
        if breaker.is_open:
            breaker.refused += 1
            raise CircuitOpen(f"the {breaker.name} does not answer")
        self._timer = asyncio.get_running_loop().call_later(SLOW_SECONDS, breaker.suspect)
        breaker._calls.add(self)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._timer is not None  # noqa: S101 - the block was entered
        self._timer.cancel()
        self._breaker._calls.discard(self)
        self._breaker._answered_calls += error is None
        if isinstance(error, self._breaker._outages):
            self._breaker.suspect()


@asynccontextmanager
async def ended_by(breaker: Breaker) -> AsyncIterator[None]:
    """A call in whose place ``TimeoutError`` is raised when the circuit opens meanwhile.

    Raises:
        CircuitOpen: the circuit is open.
    """
    async with asyncio.timeout(None) as scope:

        def end() -> None:
            if not scope.expired():
                scope.reschedule(asyncio.get_running_loop().time())

        with breaker.call(end):
            yield


async def _any_succeeds(probes: "set[asyncio.Task[bool]]", seconds: float) -> bool:
    """Whether a probe succeeds within so many seconds. Takes all of them if none does; removes those that failed."""
    ends = time.monotonic() + seconds
    while (left := ends - time.monotonic()) > 0:
        if not probes:
            await asyncio.sleep(left)
            break
        done, _ = await asyncio.wait(probes, timeout=left, return_when=asyncio.FIRST_COMPLETED)
        probes -= done
        if any(probe.result() for probe in done):
            return True
    return False
