"""How often a page may send. Pure rules.

A broadcast counts at the moment it is due, whether that is past or to come: no window of a ceiling's length may hold
more of them than the ceiling allows, so a scheduled one takes its place in advance.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Literal

FIRST_WEEK: Final = timedelta(days=7)
Name = Literal["plan", "hour", "day", "first_week"]


@dataclass(frozen=True, slots=True)
class Ceiling:
    """At most so many broadcasts in any window of a length. ``until``: it holds for windows that begin before."""

    name: Name
    most: int
    window: timedelta
    until: datetime | None = None

    def frees(self, times: Sequence[datetime], at: datetime) -> datetime | None:
        """When the earliest of the broadcasts that keep one from being sent at a moment is a window old; None: it may
        be sent.

        Args:
            times: of the other broadcasts, ascending.
        """
        if self.until is not None and at >= self.until:
            return None
        near = times[bisect_right(times, at - self.window) : bisect_left(times, at + self.window)]
        for first in range(len(near) - self.most + 1):
            last = first + self.most - 1
            if max(near[last], at) - min(near[first], at) < self.window:
                return min(near[first] + self.window, self.until or datetime.max.replace(tzinfo=at.tzinfo))
        return None

    def used(self, times: Sequence[datetime], now: datetime) -> int:
        """How many count in the window that ends now."""
        return bisect_right(times, now) - bisect_right(times, now - self.window)


def ceilings_of(plan: str, minted_at: datetime, *, per_hour: int, per_day: int) -> tuple[Ceiling, ...]:
    """The ceilings of a page, by its owner's plan and the registration's age."""
    found = [
        Ceiling("hour", per_hour, timedelta(hours=1)),
        Ceiling("day", per_day, timedelta(days=1)),
        Ceiling("first_week", 1, timedelta(days=1), minted_at + FIRST_WEEK),
    ]
    if plan == "free":
        found.insert(0, Ceiling("plan", 1, timedelta(days=7)))
    return tuple(found)


def refusal(ceilings: Sequence[Ceiling], times: Sequence[datetime], at: datetime) -> tuple[Ceiling, datetime] | None:
    """The first ceiling that keeps a broadcast from being sent at a moment, and the first moment at which none does;
    None: it may be sent."""
    reached = next((ceiling for ceiling in ceilings if ceiling.frees(times, at) is not None), None)
    return None if reached is None else (reached, first_free(ceilings, times, at))


def first_free(ceilings: Sequence[Ceiling], times: Sequence[datetime], at: datetime) -> datetime:
    """The first moment, not before ``at``, at which no ceiling keeps a broadcast from being sent."""
    while True:
        held = [until for ceiling in ceilings if (until := ceiling.frees(times, at)) is not None]
        if not held:
            return at
        at = max(held)
