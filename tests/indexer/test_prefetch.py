"""One unit is assembled ahead, in order; a waiting writer gets smaller units."""

import threading
from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import Any, cast

import numpy as np
import pytest

from indexer.chains.evm.fetch import Chunk
from indexer.chains.evm.headers import Headers
from indexer.plan import Limits
from indexer.prefetch import Signals, assemble_ahead, gather_units
from indexer.unit import AssembledUnit


def chunk(first: int, logs: int) -> Chunk:
    empty = np.zeros(1, np.uint32)
    headers = Headers(first, np.zeros((1, 32), np.uint8), np.zeros((1, 32), np.uint8), empty, empty, empty)
    return Chunk(headers, [], [], logs, 0.0)


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(1) as pool:
        yield pool


def units_of(numbers: range, closed: threading.Event) -> Generator[list[Chunk], None, None]:
    try:
        for number in numbers:
            yield [chunk(number, 1)]
    finally:
        closed.set()


def test_one_unit_is_assembled_ahead_and_no_more(pool: ThreadPoolExecutor) -> None:
    assembled: list[int] = []
    ready = threading.Semaphore(0)

    def assemble(chunks: list[Chunk]) -> AssembledUnit:
        assembled.append(chunks[0].first)
        ready.release()
        return cast(Any, chunks[0].first)

    closed = threading.Event()
    with closing(assemble_ahead(units_of(range(1, 5), closed), assemble, pool, Signals())) as ahead:
        for used in cast(Any, ahead):
            for _ in range(used, min(used + 1, 4) + 1):
                if len(assembled) < min(used + 1, 4):
                    assert ready.acquire(timeout=30)
            pool.submit(int).result(5)
            assert assembled == list(range(1, min(used + 1, 4) + 1))
    assert closed.wait(5)


def test_stopping_early_drops_units_ahead(pool: ThreadPoolExecutor) -> None:
    closed, signals = threading.Event(), Signals()
    ahead = assemble_ahead(units_of(range(1, 100), closed), lambda chunks: cast(Any, chunks[0].first), pool, signals)
    assert cast(Any, next(ahead)) == 1
    ahead.close()
    assert signals.stopped.is_set()
    assert closed.wait(5)


def test_an_assembly_error_is_raised_in_order(pool: ThreadPoolExecutor) -> None:
    def assemble(chunks: list[Chunk]) -> AssembledUnit:
        if chunks[0].first == 2:
            raise ValueError("the second")
        return cast(Any, chunks[0].first)

    closed = threading.Event()
    ahead = assemble_ahead(units_of(range(1, 5), closed), assemble, pool, Signals())
    assert cast(Any, next(ahead)) == 1
    with pytest.raises(ValueError, match="the second"):
        next(ahead)
    assert closed.wait(5)


@pytest.mark.parametrize(("waits", "sizes"), [(True, [2, 2, 2, 2, 2]), (False, [5, 5])])
def test_a_waiting_writer_gets_smaller_units(waits: bool, sizes: list[int]) -> None:
    limits = Limits(unit_rows=50, idle_unit_rows=20)
    signals = Signals()
    if waits:
        signals.writer_waits.set()
    chunks = (chunk(number, 10) for number in range(10))
    assert [len(unit) for unit in gather_units(chunks, 100, 100, limits, signals)] == sizes


def test_an_incomplete_unit_is_dropped() -> None:
    chunks = (chunk(number, 10) for number in range(3))
    assert list(gather_units(chunks, 100, 100, Limits(), Signals())) == []
