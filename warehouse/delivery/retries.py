"""The retry schedule, as data, and what follows from an attempt. Pure rules."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

Status = Literal["pending", "delivered", "exhausted"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What becomes of a delivery after an attempt. ``due_at``: when it is tried again; null: it is over."""

    status: Status
    due_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class RetrySchedule:
    """The pause after each failed attempt. After the last one and one more attempt the delivery is exhausted.

    Args:
        jitter: the largest share of a pause that is added to it at random, so that deliveries that failed together,
            such as during a receiver's outage, do not return together. A pause is never shorter than listed.
    """

    pauses: tuple[timedelta, ...]
    jitter: float = 0.0

    @property
    def span(self) -> timedelta:
        """From the first attempt to the last, if all fail at once and no jitter is added."""
        return sum(self.pauses, timedelta())

    def judge(self, *, succeeded: bool, final: bool, attempts: int, now: datetime, chance: float = 0.0) -> Verdict:
        """The verdict after an attempt.

        Args:
            final: no further attempt is made, whatever the schedule says.
            attempts: how many there were, including this one.
            chance: a random number from 0 to 1: how much of the jitter is added.
        """
        if succeeded:
            return Verdict("delivered")
        if final or attempts > len(self.pauses):
            return Verdict("exhausted")
        return Verdict("pending", now + self.pauses[attempts - 1] * (1 + self.jitter * chance))
