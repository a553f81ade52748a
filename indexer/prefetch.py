"""Work ahead of the writer: several threads fetch chunks, and one assembles the next unit while a unit is written.

Both stay within memory bounds and keep the order of the chain. Assembling a unit depends on all units before it, so one
thread does it, and only one unit ahead: the unit being written may not be in the warehouse yet, and ``Known`` remembers
exactly that one.
"""

import threading
from collections import deque
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from typing import Generic

from indexer.chains.source import ChainSource, ChunkT
from indexer.plan import Limits, RangeSize, is_complete, next_range
from indexer.unit import AssembledUnit


@dataclass(frozen=True, slots=True)
class _Request(Generic[ChunkT]):
    first: int
    last: int
    expected_events: float
    answer: "Future[Sequence[ChunkT]]"


def fetch_ahead(
    source: ChainSource[ChunkT],
    pool: ThreadPoolExecutor,
    size: RangeSize,
    limits: Limits,
    first: int,
    target: int,
    final: int,
    stopped: threading.Event,
) -> Generator[ChunkT, None, None]:
    """Chunks from block ``first`` to ``target``, or until ``stopped``. Closing it cancels requests not yet started."""
    requests: deque[_Request[ChunkT]] = deque()
    at = first
    try:
        while (at <= target or requests) and not stopped.is_set():
            while at <= target and _has_room(requests, limits, size):
                last = next_range(at, target, final, size, limits)
                expected = size.density * (last - at + 1)
                requests.append(_Request(at, last, expected, pool.submit(source.fetch, at, last)))
                at = last + 1
            done = requests.popleft()
            chunks = done.answer.result()
            _learn(size, done, chunks)
            yield from chunks
    finally:
        for request in requests:
            request.answer.cancel()


@dataclass(frozen=True, slots=True)
class Signals:
    """Shared by the thread that assembles and the one that publishes."""

    stopped: threading.Event = field(default_factory=threading.Event)
    writer_waits: threading.Event = field(default_factory=threading.Event)


def gather_units(
    chunks: Generator[ChunkT, None, None], target: int, final: int, limits: Limits, signals: Signals
) -> Generator[list[ChunkT], None, None]:
    """Group chunks into units. An incomplete unit at the end is dropped, and so are skipped slots at the target:
    a unit ends with a block."""
    gathered: list[ChunkT] = []
    events = blocks = 0
    with closing(chunks):
        for chunk in chunks:
            gathered.append(chunk)
            events += chunk.event_count
            blocks += chunk.block_count
            waits = signals.writer_waits.is_set()
            if blocks and is_complete(gathered[0].first, chunk.last, events, target, final, limits, writer_waits=waits):
                unit, gathered, events, blocks = gathered, [], 0, 0
                yield unit


def assemble_ahead(
    units: Generator[list[ChunkT], None, None],
    assemble: Callable[[list[ChunkT]], AssembledUnit],
    pool: ThreadPoolExecutor,
    signals: Signals,
) -> Generator[AssembledUnit, None, None]:
    """Assemble units in the one thread of ``pool``, each while the caller works on the one before.

    Closing the generator sets ``stopped`` and does not wait: a unit being assembled finishes before ``pool`` starts
    anything else.
    """

    def assemble_next() -> AssembledUnit | None:
        chunks = None if signals.stopped.is_set() else next(units, None)
        return None if chunks is None or signals.stopped.is_set() else assemble(chunks)

    def wait_for(unit: "Future[AssembledUnit | None]") -> AssembledUnit | None:
        signals.writer_waits.set()
        try:
            return unit.result()
        finally:
            signals.writer_waits.clear()

    upcoming = pool.submit(assemble_next)
    try:
        while (assembled := wait_for(upcoming)) is not None:
            upcoming = pool.submit(assemble_next)
            yield assembled
            del assembled  # free it: the next unit is in memory by now
    finally:
        signals.stopped.set()
        pool.submit(units.close)


def _has_room(requests: "deque[_Request[ChunkT]]", limits: Limits, size: RangeSize) -> bool:
    # While nothing is known of how many events blocks hold, a range more than there are threads gains nothing.
    if len(requests) >= (limits.ranges_ahead if size.density else min(limits.fetchers, limits.ranges_ahead)):
        return False
    return not requests or sum(request.expected_events for request in requests) < limits.logs_ahead


def _learn(size: RangeSize, done: _Request[ChunkT], chunks: Sequence[ChunkT]) -> None:
    asked = done.last - done.first + 1
    if len(chunks) > 1:
        size.refuse(asked, min(chunk.last - chunk.first + 1 for chunk in chunks))
    for chunk in chunks:
        size.observe(chunk.last - chunk.first + 1, chunk.event_count, chunk.seconds)
