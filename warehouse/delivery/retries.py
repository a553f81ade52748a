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
    """The pause after each failed attempt. After the last one and one more attempt the delivery is exhausted."""

    pauses: tuple[timedelta, ...]

    @property
    def span(self) -> timedelta:
        """From the first attempt to the last, if all fail at once."""
        return sum(self.pauses, timedelta())

    def judge(self, *, succeeded: bool, final: bool, attempts: int, now: datetime) -> Verdict:
        """The verdict after an attempt.

        Args:
            final: no further attempt is made, whatever the schedule says.
            attempts: how many there were, including this one.
        """
        if succeeded:
            return Verdict("delivered")
        if final or attempts > len(self.pauses):
            return Verdict("exhausted")
        return Verdict("pending", now + self.pauses[attempts - 1])
