"""One attack beside a paying client, whose answer times before and during it are compared."""

import asyncio
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import count, cycle

from tests.abuse.target import Target
from tests.abuse.wire import Line

REQUESTS_PER_SECOND = 40
REQUESTS_PER_CONNECTION = 20
WARM_UP_SECONDS = 1.5
PATIENCE_SECONDS = 15.0
MAX_RATIO = 2.0
TRIES = 3
"""Other work on the machine can disturb one comparison: an attack has failed the service if it does in all of them."""


@dataclass(frozen=True, slots=True)
class Measured:
    """What the paying client saw."""

    latencies: list[float]
    statuses: Counter[int]

    @property
    def p95_ms(self) -> float:
        """Of the answer times, in milliseconds."""
        ordered = sorted(self.latencies)
        return 1000 * ordered[int(0.95 * (len(ordered) - 1))]


@dataclass(frozen=True, slots=True)
class Outcome:
    """A comparison."""

    before_ms: float
    during_ms: float
    statuses: Counter[int]

    @property
    def ratio(self) -> float:
        """How many times as long the customer waits."""
        return self.during_ms / self.before_ms

    @property
    def passed(self) -> bool:
        """Whether the customer was served, and waited at most twice as long."""
        return set(self.statuses) == {200} and self.ratio <= MAX_RATIO


async def compare(target: Target, name: str, seconds: float) -> Outcome:
    """The customer's answer times without and with an attack; the best of up to three comparisons."""
    outcomes: list[Outcome] = []
    for _ in range(TRIES):
        before = await measure(target, seconds)
        async with attacking(target, name):
            during = await measure(target, seconds)
        statuses = before.statuses + during.statuses
        outcomes.append(Outcome(before.p95_ms, during.p95_ms, statuses))
        if outcomes[-1].passed:
            break
    return min(outcomes, key=lambda outcome: (not outcome.passed, outcome.ratio))


@asynccontextmanager
async def attacking(target: Target, name: str) -> AsyncIterator[None]:
    """An attack in a process of its own."""
    process = await asyncio.create_subprocess_exec(sys.executable, "-m", "tests.abuse.attacks", name, str(target.port))
    try:
        await asyncio.sleep(WARM_UP_SECONDS)
        assert process.returncode is None, f"the attack {name} ended"
        yield
    finally:
        process.kill()
        await process.wait()


async def measure(target: Target, seconds: float) -> Measured:
    """The customer's requests at a steady pace over a few connections; what is not answered in time counts as 0."""
    statuses: Counter[int] = Counter()
    latencies: list[float] = []
    idle = [Line(target.port) for _ in range(4)]
    paths, sent = cycle(target.paths), count(1)

    async def ask(path: str) -> None:
        line = idle.pop() if idle else Line(target.port)
        if next(sent) % REQUESTS_PER_CONNECTION == 0:
            line.close()
        began = time.perf_counter()
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                status = await _ask(line, path, target.key)
        except (OSError, TimeoutError, asyncio.IncompleteReadError):
            line.close()
            status = 0
        latencies.append(time.perf_counter() - began)
        statuses[status] += 1
        idle.append(line)

    tasks = []
    for _ in range(round(seconds * REQUESTS_PER_SECOND)):
        tasks.append(asyncio.create_task(ask(next(paths))))
        await asyncio.sleep(1 / REQUESTS_PER_SECOND)
    await asyncio.gather(*tasks)
    for line in idle:
        line.close()
    return Measured(latencies, statuses)


async def _ask(line: Line, path: str, key: str) -> int:
    """As HTTP clients do, ask again over a new connection when a kept one turns out to be closed."""
    kept = line.writer is not None
    try:
        return await line.ask(path, f"X-API-Key: {key}\r\n")
    except (ConnectionError, asyncio.IncompleteReadError):
        if not kept:
            raise
        line.close()
        return await line.ask(path, f"X-API-Key: {key}\r\n")
