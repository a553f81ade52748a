"""The last common block is found across windows and skipped numbers."""

import pytest

from indexer.chains.ancestor import walk_back


def chain(numbers: range, fork: bytes = b"") -> dict[int, bytes]:
    return {number: fork + bytes([number % 256, number // 256]) for number in numbers}


def within(blocks: dict[int, bytes], first: int, last: int) -> dict[int, bytes]:
    return {number: digest for number, digest in blocks.items() if first <= number <= last}


@pytest.mark.parametrize("common", [0, 3, 99, 236, 300])
def test_the_highest_block_with_the_same_hash_is_found(common: int) -> None:
    ours = chain(range(301))
    theirs = chain(range(common + 1)) | chain(range(common + 1, 301), b"fork")
    found = walk_back(lambda *at: within(ours, *at), lambda *at: within(theirs, *at), 0, 300)
    assert found == common


def test_skipped_numbers_are_passed() -> None:
    ours, theirs = chain(range(0, 300, 70)), chain(range(0, 300, 140)) | chain(range(70, 300, 140), b"fork")
    assert walk_back(lambda *at: within(ours, *at), lambda *at: within(theirs, *at), 0, 299) == 280


def test_without_a_common_block_there_is_none() -> None:
    ours, theirs = chain(range(100)), chain(range(100), b"fork")
    assert walk_back(lambda *at: within(ours, *at), lambda *at: within(theirs, *at), 50, 99) is None
