"""When a webhook is retried and when it is disabled. Pure rules."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from warehouse.delivery.retries import RetrySchedule

RETRIES: Final = RetrySchedule(
    (timedelta(minutes=1), timedelta(minutes=5), timedelta(minutes=30), timedelta(hours=2), timedelta(hours=12)),
    jitter=0.1,
)
MAX_FAILURES: Final = 3
"""So many failed deliveries in a row disable their subscription."""
GONE: Final = 410
"""The answer of a receiver that wants no more events."""


@dataclass(frozen=True, slots=True)
class SubscriptionHealth:
    """How many deliveries failed in a row, and why the subscription is disabled, if it is."""

    consecutive_failures: int
    disabled_reason: str | None = None


def settle(before: int, endings: Iterable[tuple[str, int | None]]) -> SubscriptionHealth:
    """A subscription's health after deliveries ended, in their order. Only its owner enables it again.

    Args:
        before: how many had failed in a row.
        endings: of each delivery, ``delivered`` or ``exhausted``, and the status of the last answer.
    """
    failures = before
    for ending, status in endings:
        if ending == "delivered":
            failures = 0
            continue
        failures += 1
        if status == GONE:
            return SubscriptionHealth(failures, "gone")
        if failures >= MAX_FAILURES:
            return SubscriptionHealth(failures, "failures")
    return SubscriptionHealth(failures)
