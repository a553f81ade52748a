"""The moment as of which tokens are scored, and their inputs at that moment."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

import polars as pl

from pipelines.heartbeats.observation import DAY_SECONDS, Observation


@dataclass(frozen=True, slots=True)
class Moment:
    """An hour, and the moment as of which it is scored: its end or, while it runs, the published block.

    ``last_block`` is the last block that counts. ``volumes`` are the tokens' 24-hour volumes in USD as far as they
    count; a token without a market has none.
    """

    hour: int
    last_block: int
    volumes: Mapping[str, Decimal]
    observation: Observation
    closing: bool

    @property
    def until(self) -> int:
        """Activity before this second counts. While an hour runs, that includes the second of the published block."""
        return self.observation.as_of if self.closing else self.observation.as_of + 1


def inputs_at(moment: Moment, tokens: pl.DataFrame, activity: pl.DataFrame) -> pl.DataFrame:
    """The inputs of every token that existed at the moment: the columns of ``scores.INPUTS_SCHEMA``, with ``row``,
    ``token``, ``symbol_key`` and ``last_time`` (of the last transfer; 0: none).

    Args:
        moment: the moment.
        tokens: ``row``, ``token``, ``symbol_key``, ``read_status``, ``first_time``.
        activity: ``row`` of the token, ``hour``, ``transfers``, ``holders_net``, ``last_time``.
    """
    observed_seconds, window_seconds = moment.observation.day_window()
    volumes = pl.DataFrame(
        {"token": list(moment.volumes), "volume_24h_usd": [str(volume) for volume in moment.volumes.values()]},
        schema={"token": pl.String, "volume_24h_usd": pl.String},
    )
    last_time = pl.col("last_time").fill_null(0)
    return (
        tokens.filter(pl.col("first_time") <= moment.until)
        .join(_sums_before(moment.until, activity), on="row", how="left")
        .join(volumes, on="token", how="left")
        .select(
            "row",
            "token",
            "symbol_key",
            "read_status",
            "volume_24h_usd",
            last_time=last_time,
            idle_seconds=pl.when(last_time > 0).then(idle_seconds(moment.observation, last_time)),
            transfers_24h=pl.col("transfers").fill_null(0).clip(0),
            holders=pl.col("holders_net").fill_null(0).clip(0),
            observed_seconds=pl.lit(observed_seconds, pl.Int64),
            window_seconds=pl.lit(window_seconds, pl.Int64),
            as_of=pl.lit(moment.observation.as_of, pl.Int64),
        )
    )


def idle_seconds(observation: Observation, last_time: pl.Expr) -> pl.Expr:
    """:meth:`Observation.idle_seconds` of a column of times."""
    unobserved = [
        (min(end, observation.as_of) - pl.max_horizontal(pl.lit(start, pl.Int64), last_time)).clip(0)
        for start, end in observation.gaps
    ]
    idle = pl.lit(observation.as_of, pl.Int64) - last_time
    return (idle - pl.sum_horizontal(unobserved) if unobserved else idle).clip(0)


def _sums_before(until: int, activity: pl.DataFrame) -> pl.DataFrame:
    """Of the hours that began before ``until``: transfers of the last 24 hours, holders, time of the last transfer."""
    in_day = pl.col("hour") >= until - DAY_SECONDS
    return (
        activity.filter(pl.col("hour") < until)
        .group_by("row")
        .agg(
            pl.col("transfers").filter(in_day).sum(),
            pl.col("holders_net").sum(),
            pl.col("last_time").max(),
        )
    )
