"""Finding the last block that the index and the chain have in common."""

from collections.abc import Callable, Mapping

from indexer.chains.source import IndexedHashes

_WINDOW = 64
"""Blocks compared at once."""


def walk_back(
    indexed: IndexedHashes, on_chain: Callable[[int, int], Mapping[int, bytes]], lowest: int, highest: int
) -> int | None:
    """The highest number in ``lowest..highest`` whose hash is the same on both sides; None when there is none."""
    top = highest
    while top >= lowest:
        bottom = max(top - _WINDOW + 1, lowest)
        ours, theirs = indexed(bottom, top), on_chain(bottom, top)
        for number in sorted(theirs, reverse=True):
            if ours.get(number) == theirs[number]:
                return number
        top = bottom - 1
    return None
