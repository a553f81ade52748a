"""Normalised discounted cumulative gain: how near a ranking comes to the best one there is, from 0 to 1."""

from collections.abc import Sequence
from math import log2


def dcg(grades: Sequence[int], depth: int = 10) -> float:
    """The gain of grades in this order, 2^grade - 1 each, discounted by the logarithm of the place."""
    return sum((2**grade - 1) / log2(place + 2) for place, grade in enumerate(grades[:depth]))


def ndcg(ranked: Sequence[int], relevant: Sequence[int], depth: int = 10) -> float:
    """The gain of what was ranked over that of all relevant grades in their best order, found or not.

    Raises:
        ValueError: nothing is relevant, so no order is better than another.
    """
    best = dcg(sorted(relevant, reverse=True), depth)
    if best == 0:
        raise ValueError("nothing is relevant")
    return dcg(ranked, depth) / best
