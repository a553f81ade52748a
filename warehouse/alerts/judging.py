"""Whether readings breach rules: all rules of one type at a number of moments, in columns.

Readings are compared as 64-bit floats: 15 digits are enough for a comparison with a threshold, and nothing is paid by
them.
"""

from collections.abc import Sequence

import polars as pl

from warehouse.domain.alerts import RELATIVE, AlertType, Operator

RULES = pl.Schema(
    {"row": pl.UInt32(), "token": pl.String(), "operator": pl.String(), "threshold": pl.Float64(), "window": pl.Int64()}
)
"""Rules: ``row`` is the place of a rule, from 0; ``window`` is in seconds."""
SERIES = pl.Schema({"token": pl.String(), "at": pl.Int64(), "value": pl.Float64()})
"""Readings of one type in the order of ``at`` (unix seconds): a value holds until the next of its token. Of types that
are sums the value is what was added at that time, and the first row of a token says from when on it is known."""
_SECONDS = 60


def judge(type: AlertType, rules: pl.DataFrame, series: pl.DataFrame, moments: Sequence[int]) -> pl.DataFrame:
    """The readings of rules at moments, and whether they breach them.

    Returns:
        A row for each rule (``row``) and moment (``place``, from 0), by row and moment: ``value`` with the time ``at``
        of its reading; ``earlier`` and ``earlier_at``, one time window before, for rules that compare with it;
        ``breached``, null where a reading is missing: a gap neither breaches nor recovers.
    """
    known = series.drop_nulls("value").sort("at")
    if type.is_sum:
        known = known.with_columns(pl.col("value").cum_sum().over("token"))
    times = pl.DataFrame({"place": range(len(moments)), "moment": moments}, {"place": pl.UInt32, "moment": pl.Int64})
    asked = rules.join(times, how="cross")
    asked = _read(type, asked, known, pl.col("moment"), "value", "at")
    relative = asked.filter(pl.col("operator").is_in(list(RELATIVE)))
    compared = _read(type, relative, known, pl.col("moment") - pl.col("window"), "earlier", "earlier_at")
    absolute = asked.filter(~pl.col("operator").is_in(list(RELATIVE))).with_columns(
        earlier=pl.lit(None, pl.Float64), earlier_at=pl.lit(None, pl.Int64)
    )
    return (
        pl.concat([absolute, compared.select(absolute.columns)]).with_columns(breached=_breached()).sort("row", "place")
    )


def _read(
    type: AlertType, asked: pl.DataFrame, known: pl.DataFrame, moment: pl.Expr, value: str, at: str
) -> pl.DataFrame:
    """Add the reading at a moment of each row, and its time."""
    if not type.is_sum:
        return _at(asked, known, moment, value, at, type.max_age_minutes)
    span = pl.col("window") if type.sum_minutes is None else pl.lit(type.sum_minutes * _SECONDS, pl.Int64)
    both = _at(_at(asked, known, moment, "_upto", at, None), known, moment - span, "_before", "_began", None)
    # A sum is of the whole period, so it is read at the moment itself.
    return both.with_columns((pl.col("_upto") - pl.col("_before")).alias(value), moment.alias(at)).drop(
        "_upto", "_before", "_began"
    )


def _at(
    asked: pl.DataFrame, known: pl.DataFrame, moment: pl.Expr, value: str, at: str, max_age_minutes: int | None
) -> pl.DataFrame:
    """Add the last value of the row's token at or before a moment, and its time; null if there is none, or if it is
    too old."""
    named = known.select("token", pl.col("at").alias("_key"), pl.col("at").alias(at), pl.col("value").alias(value))
    tolerance = None if max_age_minutes is None else max_age_minutes * _SECONDS
    return (
        asked.with_columns(moment.alias("_key"))
        .sort("_key")
        .join_asof(named, on="_key", by="token", strategy="backward", tolerance=tolerance, check_sortedness=False)
        .drop("_key")
    )


def _breached() -> pl.Expr:
    value, earlier, threshold = pl.col("value"), pl.col("earlier"), pl.col("threshold")
    change = pl.when(earlier > 0).then(100 * (value - earlier) / earlier)
    operator = pl.col("operator")
    return (
        pl.when(operator == Operator.ABOVE)
        .then(value > threshold)
        .when(operator == Operator.BELOW)
        .then(value < threshold)
        .when(operator == Operator.DROP)
        .then(-change >= threshold)
        .when(operator == Operator.SPIKE)
        .then(change >= threshold)
    )
