"""Weighted median, the only statistic that prices use."""

from collections.abc import Iterable
from decimal import Decimal


def weighted_median(readings: Iterable[tuple[Decimal, Decimal]]) -> Decimal | None:
    """The lowest value at which half of the weight of ``(value, weight)`` is reached; None without any weight.

    Readings with less than half of the weight cannot move the result beyond the range of the others.
    """
    ordered = sorted((value, weight) for value, weight in readings if weight > 0)
    if len(ordered) == 1:
        return ordered[0][0]  # most tokens have one pool
    total = sum((weight for _, weight in ordered), Decimal(0))
    reached = Decimal(0)
    for value, weight in ordered:
        reached += weight
        if reached * 2 >= total:
            return value
    return None
