"""Weighted median, the one statistic that prices rest on."""

from collections.abc import Iterable
from decimal import Decimal


def weighted_median(readings: Iterable[tuple[Decimal, Decimal]]) -> Decimal | None:
    """The lowest value at which half of the weight of ``(value, weight)`` is reached; None without any weight.

    A part of the readings that carries less than half of the weight cannot move the answer beyond the range of the
    others, whatever it says.
    """
    ordered = sorted((value, weight) for value, weight in readings if weight > 0)
    total = sum((weight for _, weight in ordered), Decimal(0))
    reached = Decimal(0)
    for value, weight in ordered:
        reached += weight
        if reached * 2 >= total:
            return value
    return None
