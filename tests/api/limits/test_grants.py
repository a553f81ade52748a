"""The arithmetic of buckets and windows."""

import math

from hypothesis import given
from hypothesis import strategies as st

from api.limits.grants import Bucket, Window, seconds_of_a_token

MOMENTS = st.lists(st.floats(0, 100, allow_nan=False), min_size=1, max_size=200).map(sorted)


@given(MOMENTS, st.integers(1, 20), st.integers(1, 40))
def test_no_period_grants_more_than_the_burst_and_its_refill(moments: list[float], per_second: int, burst: int) -> None:
    bucket = Bucket(burst, 0.0)
    granted = [moment for moment in moments if bucket.take(moment, per_second, burst)]
    for first in range(len(granted)):
        for last in range(first, len(granted)):
            allowed = burst + per_second * (granted[last] - granted[first])
            assert last - first + 1 <= math.floor(allowed + 1e-3)


@given(MOMENTS, st.integers(1, 20), st.integers(1, 40))
def test_a_refused_request_is_granted_after_its_retry_after(moments: list[float], per_second: int, burst: int) -> None:
    bucket = Bucket(burst, 0.0)
    for moment in moments:
        if not bucket.take(moment, per_second, burst):
            wait = seconds_of_a_token(bucket.tokens, per_second)
            assert bucket.take(moment + wait, per_second, burst)
            return


def test_a_clock_that_is_set_back_refills_nothing() -> None:
    bucket = Bucket(1, 100.0)
    assert bucket.take(100, 1, 1)
    assert not bucket.take(50, 1, 1)
    assert not bucket.take(100.5, 1, 1)
    assert bucket.take(101, 1, 1)


def test_a_smaller_plan_cuts_the_bucket() -> None:
    bucket = Bucket(100, 0.0)
    assert [bucket.take(0, 1, 2) for _ in range(3)] == [True, True, False]


def test_a_window_grants_its_limit_and_restarts_after_a_minute() -> None:
    window = Window(0.0, 0)
    assert [window.take(10, 2), window.take(30, 2)] == [None, None]
    assert window.take(59.5, 2) == 0.5
    assert window.take(60, 2) is None
    assert window.began_at == 60


def test_a_window_restarts_when_the_clock_is_set_back() -> None:
    window = Window(1000.0, 2)
    assert window.take(500, 2) is None
