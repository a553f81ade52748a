"""Rules of one type judged on readings: which of them fire and recover at which moment. The evaluation every 15 minutes
and the preview of a rule both call this."""

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from warehouse.alerts import firing
from warehouse.alerts.firing import Breaches, Changes, Flags, Seconds, Standings
from warehouse.alerts.judging import judge
from warehouse.domain.alerts import AlertType


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of rules at moments.

    Args:
        verdicts: see :func:`warehouse.alerts.judging.judge`.
        breaches: a row for each rule, a column for each moment: BREACHED, CLEAR or UNKNOWN.
        standings: of the rules after the last moment.
        changes: the moments at which rules fired or recovered, in their order.
    """

    verdicts: pl.DataFrame
    breaches: Breaches
    standings: Standings
    changes: Sequence[Changes]


def evaluate_rules(
    type: AlertType,
    rules: pl.DataFrame,
    series: pl.DataFrame,
    moments: Sequence[int],
    *,
    standings: Standings,
    cooldowns: Seconds,
    newest_only: Flags | None = None,
) -> Outcome:
    """Judge rules of one type at moments.

    Args:
        rules: as ``judging.RULES`` has them, in the order of ``row``.
        series: as ``judging.SERIES`` has them.
        moments: in unix seconds, ascending.
        standings: of the rules before the first moment; it is changed.
        cooldowns: of each rule, in seconds.
        newest_only: rules that are judged at the last moment only; None: there are none.
    """
    verdicts = judge(type, rules, series, moments)
    breached = verdicts.get_column("breached").cast(pl.Int8).fill_null(firing.UNKNOWN)
    breaches = breached.to_numpy().reshape(-1, len(moments)).copy()
    if newest_only is not None:
        breaches[newest_only, :-1] = firing.UNKNOWN
    return Outcome(verdicts, breaches, standings, list(firing.advance(standings, moments, breaches, cooldowns)))
