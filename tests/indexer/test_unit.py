"""Blocks of a unit by column."""

import numpy as np

from indexer.unit import Blocks


def blocks(*numbers: int) -> Blocks:
    count = len(numbers)
    hashes = np.arange(32 * count, dtype=np.uint8).reshape(count, 32)
    times = np.array([1000 + number for number in numbers], np.uint32)
    return Blocks(np.array(numbers, np.uint64), hashes, hashes[::-1].copy(), times, np.zeros(count, np.uint32))


def test_first_last_and_hashes() -> None:
    found = blocks(7, 8, 9)
    assert (found.first, found.last, len(found)) == (7, 9, 3)
    assert found.last_hash == bytes(range(64, 96)) == found.parent_hash


def test_times_are_found_with_and_without_gaps() -> None:
    for found, wanted in ((blocks(7, 8, 9), [9, 7, 7]), (blocks(7, 11, 90), [90, 7, 11, 11])):
        times = found.times_of(np.array(wanted, np.uint64))
        assert times.tolist() == [1000 + number for number in wanted]
        assert times.dtype == np.uint32
