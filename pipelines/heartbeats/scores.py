"""Heartbeats of many tokens at once, in Polars.

:func:`pipelines.scoring.score` is the specification: each component is computed with 40 decimal digits and rounded half
to even to hundredths, and any stored score must recompute exactly from its inputs. Here components are computed in
doubles, whose error is far below :data:`_TIE_MARGIN`. A double that lies closer than that to a rounding boundary is
computed by the specification instead. The composite of the rounded components is integer arithmetic.
"""

from collections.abc import Callable
from decimal import Decimal
from itertools import pairwise
from math import log10

import polars as pl

from pipelines import scoring
from pipelines.scoring import VERSION, WEIGHTS

INPUTS_SCHEMA = pl.Schema(
    {
        "idle_seconds": pl.Int64(),
        "volume_24h_usd": pl.String(),
        "transfers_24h": pl.Int64(),
        "holders": pl.Int64(),
        "observed_seconds": pl.Int64(),
        "window_seconds": pl.Int64(),
        "read_status": pl.String(),
        "as_of": pl.Int64(),
    }
)
"""Columns of :func:`score_all`, those of :class:`pipelines.scoring.Inputs`."""
SCORES = ("score", "timestamp_score", "volume_score", "holders_score", "confidence_score")
"""Its results: the composite and the components."""

_TIE_MARGIN = 1e-6


def score_all(inputs: pl.DataFrame, version: int = VERSION) -> pl.DataFrame:
    """One row of :data:`SCORES` for each row of ``inputs``, in hundredths (Int64), under the weights of ``version``."""
    components = {
        "timestamp_score": _component(inputs, _recency(), scoring.recency_score, "idle_seconds"),
        "volume_score": _component(inputs, _volume(), scoring.volume_score, "transfers_24h", "volume_24h_usd"),
        "holders_score": _component(
            inputs,
            _logarithmic(pl.col("holders").cast(pl.Float64), scoring.HOLDERS_FULL),
            scoring.holders_score,
            "holders",
        ),
        "confidence_score": _confidence(inputs),
    }
    frame = pl.DataFrame(components)
    weighted = pl.sum_horizontal(
        pl.col(f"{name}_score") * int(weight * 100) for name, weight in WEIGHTS[version].items()
    )  # in ten-thousandths
    whole, rest = weighted // 100, weighted % 100
    rounds_up = (rest > 50) | ((rest == 50) & (whole % 2 == 1))
    return frame.select((whole + rounds_up.cast(pl.Int64)).alias("score"), *components)


def inputs_json() -> pl.Expr:
    """The stored form of inputs, equal to :meth:`pipelines.scoring.Inputs.to_json`: keys in order, no spaces."""
    parts: list[pl.Expr] = []
    for position, name in enumerate(sorted(INPUTS_SCHEMA)):
        text = pl.col(name).cast(pl.String)
        if INPUTS_SCHEMA[name] == pl.String:
            text = pl.concat_str(pl.lit('"'), text, pl.lit('"'))
        parts += [pl.lit(f'{"," if position else "{"}"{name}":'), text.fill_null("null")]
    return pl.concat_str(*parts, pl.lit("}"))


def _component(inputs: pl.DataFrame, estimate: pl.Expr, exact: Callable[..., Decimal], *columns: str) -> pl.Series:
    """A component in hundredths: the rounded estimate, or ``exact`` of the columns where rounding is in doubt."""
    estimates = inputs.select((estimate * 100).alias("estimate")).to_series()
    doubtful = ((estimates - estimates.floor() - 0.5).abs() < _TIE_MARGIN).arg_true()
    rounded = estimates.round().cast(pl.Int64)
    if len(doubtful):
        exactly = [int(exact(*row) * 100) for row in inputs.select(columns)[doubtful].iter_rows()]
        rounded = rounded.scatter(doubtful, exactly)
    return rounded


def _recency() -> pl.Expr:
    hours = pl.col("idle_seconds").clip(0).cast(pl.Float64) / 3600.0
    value = pl.lit(float(scoring.RECENCY_CURVE[-1][1]))
    for (start, high), (end, low) in reversed(list(pairwise(scoring.RECENCY_CURVE))):
        line = high - (hours - start) * ((high - low) / (end - start))
        value = pl.when(hours <= end).then(line).otherwise(value)
    return pl.when(pl.col("idle_seconds").is_null()).then(0.0).otherwise(value)


def _volume() -> pl.Expr:
    transfers = _logarithmic(pl.col("transfers_24h").cast(pl.Float64), scoring.TRANSFERS_FULL)
    volume = _logarithmic(pl.col("volume_24h_usd").cast(pl.Float64), scoring.VOLUME_FULL_USD)
    return pl.max_horizontal(transfers * float(scoring.TRANSFERS_SHARE), volume)  # a null volume does not count


def _logarithmic(amount: pl.Expr, full: Decimal) -> pl.Expr:
    scaled = (100.0 * (amount + 1.0).log10() / log10(full + 1)).clip(upper_bound=100.0)
    return pl.when(amount > 0).then(scaled).otherwise(pl.when(amount.is_not_null()).then(0.0))


def _confidence(inputs: pl.DataFrame) -> pl.Series:
    """Tokens share what was observed of their chain, so the specification computes the few different values."""
    columns = ["observed_seconds", "window_seconds", "read_status"]
    different = inputs.select(columns).unique()
    values = [int(scoring.confidence_score(*row) * 100) for row in different.iter_rows()]
    known = different.with_columns(pl.Series("confidence", values, dtype=pl.Int64))
    return inputs.select(columns).join(known, on=columns, how="left", maintain_order="left").get_column("confidence")
