"""Intervals of shares, and of differences between shares. Pure.

Wilson's score interval for one share and Newcombe's for a difference of two (Newcombe 1998, methods 3 and 10), both at
95 %. They hold for small counts and for shares near 0 and 1, where the usual ones do not.
"""

from math import sqrt
from typing import Final, NamedTuple

FEWEST: Final = 30
"""Of fewer accounts no share is given: its interval would say next to nothing."""
_Z: Final = 1.959964


class Interval(NamedTuple):
    """An estimate and its bounds."""

    estimate: float
    low: float
    high: float


def share(count: int, total: int) -> Interval | None:
    """The share that ``count`` is of ``total``; None of too few."""
    if total < FEWEST:
        return None
    found = count / total
    centre = (found + _Z**2 / (2 * total)) / (1 + _Z**2 / total)
    reach = _Z / (1 + _Z**2 / total) * sqrt(found * (1 - found) / total + _Z**2 / (4 * total**2))
    return Interval(found, max(0.0, min(found, centre - reach)), min(1.0, max(found, centre + reach)))


def difference(one: Interval | None, other: Interval | None) -> Interval | None:
    """One share less another; None where either is."""
    if one is None or other is None:
        return None
    found = one.estimate - other.estimate
    low = found - sqrt((one.estimate - one.low) ** 2 + (other.high - other.estimate) ** 2)
    high = found + sqrt((one.high - one.estimate) ** 2 + (other.estimate - other.low) ** 2)
    return Interval(found, low, high)
