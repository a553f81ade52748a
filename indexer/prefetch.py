"""Working ahead of the writer: chunks fetched by several threads, and the next unit assembled while one is written.

Both within bounds on what may lie in memory, and both in the order of the chain. Assembling needs the memory of all
units before, so it is done by one thread, one unit ahead and never more: what it learned of the unit before may not
be in the warehouse yet, and ``Known`` remembers exactly that much.
"""

import threading
from collections import deque
from collections.abc import Callable, Generator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field

from indexer.chains.evm.assemble import Assembled
from indexer.chains.evm.fetch import Chunk, Source, fetch_chunk
from indexer.plan import Limits, RangeSize, is_complete, next_range


@dataclass(frozen=True, slots=True)
class _Asked:
    first: int
    last: int
    expected_logs: float
    answer: "Future[list[Chunk]]"


def fetch_ahead(
    source: Source,
    pool: ThreadPoolExecutor,
    size: RangeSize,
    limits: Limits,
    first: int,
    head: int,
    final: int,
    stopped: threading.Event,
) -> Generator[Chunk, None, None]:
    """Chunks from block ``first`` to ``head``, or until ``stopped``; its end cancels what has not begun."""
    asked: deque[_Asked] = deque()
    at = first
    try:
        while (at <= head or asked) and not stopped.is_set():
            while at <= head and _has_room(asked, limits):
                last = next_range(at, head, final, size, limits)
                expected = size.density * (last - at + 1)
                asked.append(_Asked(at, last, expected, pool.submit(fetch_chunk, source, at, last)))
                at = last + 1
            done = asked.popleft()
            chunks = done.answer.result()
            _learn(size, done, chunks)
            yield from chunks
    finally:
        for waiting in asked:
            waiting.answer.cancel()


@dataclass(frozen=True, slots=True)
class Signals:
    """What the thread that assembles and the one that publishes tell each other."""

    stopped: threading.Event = field(default_factory=threading.Event)
    writer_waits: threading.Event = field(default_factory=threading.Event)


def gather_units(
    chunks: Generator[Chunk, None, None], target: int, final: int, limits: Limits, signals: Signals
) -> Generator[list[Chunk], None, None]:
    """Chunks by the units they are published in; a unit that was not gathered whole is dropped."""
    gathered: list[Chunk] = []
    logs = 0
    with closing(chunks):
        for chunk in chunks:
            gathered.append(chunk)
            logs += chunk.log_count
            waits = signals.writer_waits.is_set()
            if is_complete(gathered[0].first, chunk.last, logs, target, final, limits, writer_waits=waits):
                whole, gathered, logs = gathered, [], 0
                yield whole


def assemble_ahead(
    units: Generator[list[Chunk], None, None],
    assemble: Callable[[list[Chunk]], Assembled],
    pool: ThreadPoolExecutor,
    signals: Signals,
) -> Generator[Assembled, None, None]:
    """Units assembled in the one thread of ``pool``, each while its user works on the one before.

    Closing the generator says ``stopped`` and does not wait: what is under way ends by itself, before anything else
    that ``pool`` is given.
    """

    def following() -> Assembled | None:
        chunks = None if signals.stopped.is_set() else next(units, None)
        return None if chunks is None or signals.stopped.is_set() else assemble(chunks)

    def awaited(coming: "Future[Assembled | None]") -> Assembled | None:
        signals.writer_waits.set()
        try:
            return coming.result()
        finally:
            signals.writer_waits.clear()

    coming = pool.submit(following)
    try:
        while (assembled := awaited(coming)) is not None:
            coming = pool.submit(following)
            yield assembled
            del assembled  # the next one is in memory by now
    finally:
        signals.stopped.set()
        pool.submit(units.close)


def _has_room(asked: "deque[_Asked]", limits: Limits) -> bool:
    if len(asked) >= limits.ranges_ahead:
        return False
    return not asked or sum(item.expected_logs for item in asked) < limits.logs_ahead


def _learn(size: RangeSize, done: _Asked, chunks: list[Chunk]) -> None:
    asked = done.last - done.first + 1
    if len(chunks) > 1:
        size.refuse(asked, min(chunk.last - chunk.first + 1 for chunk in chunks))
    for chunk in chunks:
        size.observe(chunk.last - chunk.first + 1, chunk.log_count, chunk.seconds)
