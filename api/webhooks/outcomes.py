"""What follows from an attempt: the schedule of retries and when a subscription is disabled. Pure rules."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

RETRIES: Final = (
    timedelta(minutes=1),
    timedelta(minutes=5),
    timedelta(minutes=30),
    timedelta(hours=2),
    timedelta(hours=12),
)
"""How long after each failed attempt the next one is made; after the last the delivery is exhausted."""
FAILURES_TO_DISABLE: Final = 3
"""So many deliveries that fail one after another disable their subscription."""
GONE: Final = 410


@dataclass(frozen=True, slots=True)
class Verdict:
    """What becomes of a delivery. ``due_at``: when it is tried again, null when it is over."""

    status: str
    due_at: datetime | None


def judge(*, succeeded: bool, status: int | None, attempts: int, retried: bool, now: datetime) -> Verdict:
    """The verdict over an attempt.

    Args:
        status: what the receiver answered; 410 ends the delivery.
        attempts: how many there were, this one among them.
        retried: whether its kind of delivery is tried more than once; tests are not.
    """
    if succeeded:
        return Verdict("delivered", None)
    if status == GONE or not retried or attempts > len(RETRIES):
        return Verdict("exhausted", None)
    return Verdict("pending", now + RETRIES[attempts - 1])


@dataclass(frozen=True, slots=True)
class Standing:
    """How a subscription stands: deliveries that failed in a row, and why it is disabled, if it is."""

    consecutive_failures: int
    disabled_reason: str | None = None


def settle(before: int, endings: Iterable[tuple[str, int | None]]) -> Standing:
    """How a subscription stands after deliveries ended, in their order. Once it is disabled nothing changes that but
    its owner.

    Args:
        before: how many had failed in a row.
        endings: of each delivery, ``delivered`` or ``exhausted``, and the last answer's status.
    """
    failures = before
    for ending, status in endings:
        if ending == "delivered":
            failures = 0
            continue
        failures += 1
        if status == GONE:
            return Standing(failures, "gone")
        if failures >= FAILURES_TO_DISABLE:
            return Standing(failures, "failures")
    return Standing(failures)
