"""How often a rule would have fired: the evaluation over the readings of the last 30 days."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import polars as pl

from warehouse.alerts.evaluating import evaluate_rules
from warehouse.alerts.firing import UNKNOWN, Standings
from warehouse.alerts.judging import RULES
from warehouse.alerts.readings import DAY
from warehouse.domain.alerts import STEP_SECONDS, AlertType, Operator

SPAN_SECONDS: Final = 30 * DAY


@dataclass(frozen=True, slots=True)
class Preview:
    """What a rule would have done at moments.

    Args:
        judged: at how many of them there were readings to judge.
        fired: the moments at which it would have fired, ascending, in unix seconds.
    """

    judged: int
    fired: Sequence[int]


def moments_through(reached: int) -> list[int]:
    """The moments of the 30 days through the last one that the data has reached, ascending, in unix seconds."""
    last = reached // STEP_SECONDS * STEP_SECONDS
    return list(range(last - SPAN_SECONDS + STEP_SECONDS, last + 1, STEP_SECONDS))


def preview_rule(
    type: AlertType,
    operator: Operator,
    threshold: float,
    *,
    window_minutes: int,
    cooldown_minutes: int,
    series: pl.DataFrame,
    moments: Sequence[int],
) -> Preview:
    """What a rule would have done at moments, had it been created just before the first.

    Args:
        series: the readings of the rule's token, as ``judging.SERIES`` has them.
    """
    token = series.item(0, "token") if series.height else ""
    rules = pl.DataFrame([(0, token, operator.value, threshold, 60 * window_minutes)], RULES, orient="row")
    outcome = evaluate_rules(
        type, rules, series, moments, standings=Standings.new(1), cooldowns=np.array([60 * cooldown_minutes])
    )
    return Preview(
        int((outcome.breaches != UNKNOWN).sum()),
        [moments[change.place] for change in outcome.changes if len(change.fired)],
    )
