"""What follows from an attempt."""

from datetime import UTC, datetime, timedelta

import pytest

from warehouse.delivery.retries import RetrySchedule, Verdict

NOW = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)
SCHEDULE = RetrySchedule((timedelta(seconds=10), timedelta(hours=1)))


@pytest.mark.parametrize(
    ("succeeded", "final", "attempts", "verdict"),
    [
        (True, False, 1, Verdict("delivered")),
        (True, True, 3, Verdict("delivered")),
        (False, False, 1, Verdict("pending", NOW + timedelta(seconds=10))),
        (False, False, 2, Verdict("pending", NOW + timedelta(hours=1))),
        (False, False, 3, Verdict("exhausted")),
        (False, True, 1, Verdict("exhausted")),
    ],
)
def test_the_verdict_follows_from_the_schedule(succeeded: bool, final: bool, attempts: int, verdict: Verdict) -> None:
    assert SCHEDULE.judge(succeeded=succeeded, final=final, attempts=attempts, now=NOW) == verdict


def test_jitter_only_lengthens_a_pause() -> None:
    schedule = RetrySchedule(SCHEDULE.pauses, jitter=0.1)
    due = [schedule.judge(succeeded=False, final=False, attempts=2, now=NOW, chance=one).due_at for one in (0, 0.5, 1)]
    assert due == [NOW + timedelta(minutes=minutes) for minutes in (60, 63, 66)]


def test_the_span_is_the_sum_of_the_pauses() -> None:
    assert SCHEDULE.span == timedelta(hours=1, seconds=10)
