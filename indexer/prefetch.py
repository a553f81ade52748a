"""Chunks in order of the chain, fetched ahead by several threads within a bound on what may lie in memory."""

from collections import deque
from collections.abc import Generator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

from indexer.fetch import Chunk, Source, fetch_chunk
from indexer.plan import Limits, RangeSize, next_range


@dataclass(frozen=True, slots=True)
class _Asked:
    first: int
    last: int
    expected_logs: float
    answer: "Future[list[Chunk]]"


def fetch_ahead(
    source: Source, pool: ThreadPoolExecutor, size: RangeSize, limits: Limits, first: int, head: int, final: int
) -> Generator[Chunk, None, None]:
    """Chunks from block ``first`` to ``head``; closing the generator cancels what has not begun."""
    asked: deque[_Asked] = deque()
    at = first
    try:
        while at <= head or asked:
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
