"""Readings are compared with rules."""

import polars as pl
import pytest

from warehouse.alerts.judging import RULES, SERIES, judge
from warehouse.alerts.wording import body
from warehouse.domain.alerts import ALERT_TYPES, Operator

HOUR, DAY = 3_600, 86_400
PRICE, VOLUME, TOP10, COPIES = (
    ALERT_TYPES[name] for name in ("price_change", "volume_anomaly", "top10_concentration", "copycat_detected")
)


def verdict(name: str, operator: str, threshold: float, series: list[tuple[int, float | None]], moment: int) -> object:
    """Whether a rule with a window of an hour is breached, and the readings."""
    rules = pl.DataFrame([(0, "ab", operator, threshold, HOUR)], RULES, orient="row")
    frame = pl.DataFrame([("ab", at, value) for at, value in series], SERIES, orient="row")
    [row] = judge(ALERT_TYPES[name], rules, frame, [moment]).rows(named=True)
    return row["breached"], row["value"], row["earlier"]


@pytest.mark.parametrize(
    ("operator", "threshold", "series", "expected"),
    [
        ("gt", 5, [(0, 5.0)], (False, 5, None)),
        ("gt", 5, [(0, 1.0), (DAY, 6.0)], (True, 6, None)),
        ("lt", 5, [(0, 4.0)], (True, 4, None)),
        ("lt", 5, [(0, 4.0), (DAY, None)], (True, 4, None)),  # an unknown reading is none: the last one holds
        ("lt", 5, [], (None, None, None)),
        ("gt", 5, [(DAY + 1, 6.0)], (None, None, None)),  # later than the moment
        ("pct_drop", 50, [(0, 8.0), (DAY - HOUR + 1, 4.0)], (True, 4, 8)),
        ("pct_drop", 50.1, [(0, 8.0), (DAY - HOUR + 1, 4.0)], (False, 4, 8)),
        ("pct_drop", 50, [(0, 8.0), (DAY - HOUR, 4.0)], (False, 4, 4)),  # it fell before the window
        ("pct_spike", 100, [(0, 4.0), (DAY, 8.0)], (True, 8, 4)),
        ("pct_spike", 100, [(0, 0.0), (DAY, 8.0)], (None, 8, 0)),  # no percentage of nothing
        ("pct_drop", 10, [(DAY, 8.0)], (None, 8, None)),  # nothing to compare with
    ],
)
def test_prices(
    operator: str, threshold: float, series: list[tuple[int, float | None]], expected: tuple[object, ...]
) -> None:
    assert verdict("price_change", operator, threshold, series, DAY) == expected


def test_volume_is_what_was_added_in_24_hours() -> None:
    series: list[tuple[int, float | None]] = [(0, 0.0), (HOUR, 5.0), (DAY, 7.0), (DAY + HOUR, 1.0)]
    assert verdict("volume_anomaly", "gt", 12, series, DAY) == (False, 12, None)
    assert verdict("volume_anomaly", "gt", 7.5, series, DAY + HOUR) == (True, 8, None)
    assert verdict("volume_anomaly", "gt", 1, series, DAY - 1) == (None, None, None)  # the history is too short


def test_copies_are_counted_in_the_window() -> None:
    series: list[tuple[int, float | None]] = [(0, 0.0), (DAY, 1.0), (DAY, 1.0)]
    assert verdict("copycat_detected", "gt", 1, series, DAY) == (True, 2, None)
    assert verdict("copycat_detected", "gt", 1, series, DAY + HOUR) == (False, 0, None)
    assert verdict("copycat_detected", "pct_spike", 1, series, DAY) == (None, 2, 0)


def test_concentration_is_judged_on_recent_readings_only() -> None:
    series: list[tuple[int, float | None]] = [(0, 60.0)]
    assert verdict("top10_concentration", "gt", 50, series, 2 * DAY) == (True, 60, None)
    assert verdict("top10_concentration", "gt", 50, series, 2 * DAY + 1) == (None, None, None)


def test_an_alert_says_what_was_read() -> None:
    assert body(PRICE, Operator.DROP, 20, 60, 3, 4) == (
        "The price of a whole token in US dollars: fell by 25 percent in 60 minutes, from 4 to 3; the rule's threshold "
        "is 20 percent."
    )
    assert body(PRICE, Operator.BELOW, 0.00001, 60, 0.0000095, None) == (
        "The price of a whole token in US dollars: 0.0000095, which is less than 0.00001."
    )
