"""A rule fires exactly once per breach, through gaps, late readings, repeated runs and restarts."""

from collections.abc import Sequence
from itertools import groupby

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from warehouse.alerts import firing
from warehouse.alerts.firing import BREACHED, CLEAR, UNKNOWN, Standings
from warehouse.alerts.judging import RULES, SERIES, judge
from warehouse.domain.alerts import AlertType, Operator, Severity, Source

STEP = 900
SERIES_AT_ONCE = 500
METRIC = AlertType(
    name="metric",
    title="Metric",
    reading="a value that holds for a quarter of an hour",
    source=Source.MARKET,
    mart="prices_hourly.price_close_usd",
    plan="free",
    severity=Severity.HIGH,
    max_age_minutes=14,
)


def model(verdicts: Sequence[int], moments: Sequence[int], cooldown: int) -> list[int]:
    """When a rule fires: of each run of breaches that no clear reading interrupts, at the first moment after the
    cooldown."""
    fired: list[int] = []
    known = [(moment, verdict) for moment, verdict in zip(moments, verdicts, strict=True) if verdict != UNKNOWN]
    for verdict, episode in groupby(known, key=lambda one: one[1]):
        if verdict == BREACHED:
            rested = [moment for moment, _ in episode if not fired or moment - fired[-1] >= cooldown]
            fired += rested[:1]
    return fired


@given(
    seed=st.integers(0, 2**32 - 1),
    length=st.integers(1, 40),
    breach_share=st.floats(0.05, 0.95),
    gap_share=st.floats(0, 0.6),
    late_share=st.floats(0, 0.3),
    restarts=st.lists(st.integers(1, 39), max_size=8),
)
@settings(max_examples=20, deadline=None)
def test_ten_thousand_series_fire_exactly_once_per_breach(
    seed: int, length: int, breach_share: float, gap_share: float, late_share: float, restarts: list[int]
) -> None:
    random = np.random.default_rng(seed)
    moments = [STEP * (place + 1) for place in range(length)]
    # A breach often lasts: each reading repeats the one before in half of the cases.
    values = (random.random((SERIES_AT_ONCE, length)) < breach_share).astype(float)
    for place in range(1, length):
        same = random.random(SERIES_AT_ONCE) < 0.5
        values[same, place] = values[same, place - 1]
    missing = random.random(values.shape) < gap_share
    late = random.random(values.shape) < late_share
    cooldowns = random.integers(1, 12, SERIES_AT_ONCE) * STEP // 2
    rules = pl.DataFrame(
        {
            "row": range(SERIES_AT_ONCE),
            "token": [f"{row:040x}" for row in range(SERIES_AT_ONCE)],
            "operator": [Operator.ABOVE.value] * SERIES_AT_ONCE,
            "threshold": [0.5] * SERIES_AT_ONCE,
            "window": [3_600] * SERIES_AT_ONCE,
        },
        RULES,
    )
    standings, fired = Standings.new(SERIES_AT_ONCE), [[] for _ in range(SERIES_AT_ONCE)]
    seen = np.full(values.shape, UNKNOWN)
    ends = sorted({*(end for end in restarts if end < length), length})
    begin = 0
    for end in ends:
        # What comes late is there for a later run only, which does not judge that moment again.
        there = ~missing & ~(late & (np.arange(length) >= begin))
        seen[:, begin:end] = np.where(there, values, UNKNOWN)[:, begin:end]
        rows, places = np.nonzero(there[:, :end])
        series = pl.DataFrame(
            {
                "token": rules.get_column("token").gather(rows),
                "at": (places + 1) * STEP,
                "value": values[rows, places],
            }
        ).cast(SERIES)
        chosen = moments[begin:end]
        breached = judge(METRIC, rules, series, chosen).get_column("breached").cast(pl.Int8).fill_null(UNKNOWN)
        breaches = breached.to_numpy().reshape(-1, len(chosen))
        # The first attempt dies before it is recorded.
        lost = Standings(standings.fired.copy(), standings.last_fired.copy())
        attempts = [list(firing.advance(each, chosen, breaches, cooldowns)) for each in (lost, standings)]
        for change in attempts[1]:
            for row in change.fired:
                fired[row].append(chosen[change.place])
        begin = end
    expected = [model(seen[row].tolist(), moments, int(cooldowns[row])) for row in range(SERIES_AT_ONCE)]
    assert fired == expected


@pytest.mark.parametrize(
    ("verdicts", "fires", "recovers"),
    [
        ([], [], []),
        ([CLEAR, CLEAR], [], []),
        ([BREACHED, BREACHED, BREACHED], [0], []),
        ([BREACHED, UNKNOWN, UNKNOWN, BREACHED], [0], []),
        ([BREACHED, UNKNOWN, CLEAR, UNKNOWN], [0], [2]),
        ([UNKNOWN, BREACHED, CLEAR, BREACHED], [1], [2]),  # the second breach begins in the cooldown, and is over
        ([BREACHED, CLEAR, BREACHED, BREACHED, BREACHED, BREACHED], [0, 4], [1]),  # it lasts until the cooldown ends
    ],
)
def test_a_rule_fires_and_recovers(verdicts: list[int], fires: list[int], recovers: list[int]) -> None:
    moments = [STEP * (place + 1) for place in range(len(verdicts))]
    breaches = np.array([verdicts], np.int8).reshape(1, -1)
    changes = list(firing.advance(Standings.new(1), moments, breaches, np.array([4 * STEP])))
    assert [change.place for change in changes if len(change.fired)] == fires
    assert [change.place for change in changes if len(change.recovered)] == recovers
