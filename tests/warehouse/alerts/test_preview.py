"""A preview is what the evaluation would have done, moment by moment."""

from collections.abc import Sequence

import numpy as np
import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from warehouse.alerts.evaluating import evaluate_rules
from warehouse.alerts.firing import Standings
from warehouse.alerts.judging import RULES, SERIES
from warehouse.alerts.preview import moments_through, preview_rule
from warehouse.domain.alerts import ALERT_TYPES, STEP_SECONDS, Operator

PRICE = ALERT_TYPES["price_change"]
START = 1_767_225_600


def frame(values: Sequence[float | None]) -> pl.DataFrame:
    """Readings, one for each quarter of an hour; none for None."""
    rows = [("ab", START + place * STEP_SECONDS, value) for place, value in enumerate(values) if value is not None]
    return pl.DataFrame(rows, SERIES, orient="row")


@given(
    values=st.lists(st.none() | st.sampled_from([1.0, 2.0, 4.0]), min_size=1, max_size=60),
    operator=st.sampled_from(list(Operator)),
    threshold=st.sampled_from([1.5, 50.0, 100.0]),
    cooldown=st.sampled_from([5, 40, 300]),
)
@settings(max_examples=50, deadline=None)
def test_it_fires_when_the_evaluation_does(
    values: list[float | None], operator: Operator, threshold: float, cooldown: int
) -> None:
    series, moments = frame(values), [START + place * STEP_SECONDS for place in range(len(values))]
    rules = pl.DataFrame([(0, "ab", operator.value, threshold, 3_600)], RULES, orient="row")
    standings, fired, judged = Standings.new(1), [], 0
    for moment in moments:
        seen = series.filter(pl.col("at") <= moment)  # later readings were not there then
        outcome = evaluate_rules(PRICE, rules, seen, [moment], standings=standings, cooldowns=np.array([60 * cooldown]))
        fired += [moment for change in outcome.changes if len(change.fired)]
        judged += int((outcome.breaches >= 0).sum())
    preview = preview_rule(
        PRICE,
        operator,
        threshold,
        window_minutes=60,
        cooldown_minutes=cooldown,
        series=series,
        moments=moments,
    )
    assert (preview.fired, preview.judged) == (fired, judged)


def test_thirty_days_end_at_what_the_data_has_reached() -> None:
    moments = moments_through(START + STEP_SECONDS - 1)
    assert (moments[0], moments[-1], len(moments)) == (START - 30 * 86_400 + STEP_SECONDS, START, 2_880)


def test_without_readings_nothing_is_judged() -> None:
    preview = preview_rule(
        PRICE, Operator.ABOVE, 1, window_minutes=60, cooldown_minutes=60, series=frame([]), moments=[START]
    )
    assert (preview.fired, preview.judged) == ([], 0)
