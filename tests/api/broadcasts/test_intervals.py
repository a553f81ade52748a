"""Intervals of shares agree with published ones, and hold what they say."""

from math import comb

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from api.broadcasts.intervals import FEWEST, difference, share


@pytest.mark.parametrize(
    ("count", "total", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (1, 30, 0.0059, 0.1667), (0, 100, 0.0, 0.0370)],
)
def test_shares_are_those_of_the_literature(count: int, total: int, low: float, high: float) -> None:
    """The first two are of Newcombe 1998 (two-sided intervals for the single proportion), method 3."""
    found = share(count, total)
    assert found is not None
    assert (round(found.low, 4), round(found.high, 4)) == (low, high)


def test_a_difference_is_that_of_the_literature() -> None:
    """56 of 70 and 48 of 80: Newcombe 1998 (interval estimation for the difference), table II, method 10."""
    found = difference(share(56, 70), share(48, 80))
    assert found is not None
    assert [round(bound, 4) for bound in found] == [0.2, 0.0524, 0.3339]


def test_of_too_few_nothing_is_said() -> None:
    few, enough = share(10, FEWEST - 1), share(10, FEWEST)
    assert few is None
    assert enough is not None
    assert difference(few, enough) is None


@settings(max_examples=50, deadline=None)
@given(st.integers(FEWEST, 400), st.data())
def test_bounds_enclose_the_share(total: int, data: st.DataObject) -> None:
    count, other = data.draw(st.integers(0, total)), data.draw(st.integers(0, total))
    found = share(count, total)
    assert found is not None
    assert 0 <= found.low <= found.estimate <= found.high <= 1
    between = difference(found, share(other, total))
    assert between is not None
    assert -1 <= between.low <= between.estimate <= between.high <= 1


def test_the_interval_covers_a_true_share_as_often_as_it_says() -> None:
    total, truth = 60, 0.2
    covered = 0.0
    for count in range(total + 1):
        found = share(count, total)
        assert found is not None
        if found.low <= truth <= found.high:
            covered += comb(total, count) * truth**count * (1 - truth) ** (total - count)
    assert 0.93 < covered < 0.98
