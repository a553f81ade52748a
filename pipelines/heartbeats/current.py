"""Which score of each token is current, and whether a new one is worth a row.

A row holds until the token's next row. So a score that equals the current one is not stored, unless the token was
active within a month: those get a row for every hour.
"""

from dataclasses import dataclass, field

import polars as pl

from pipelines.heartbeats.moments import Moment
from pipelines.heartbeats.scores import SCORES

_MONTH_SECONDS = 31 * 86_400
STORED_SCHEMA = pl.Schema({"row": pl.UInt32(), **dict.fromkeys(("hour", "as_of", *SCORES, "version"), pl.Int64())})
"""Columns of stored scores: the token's row, the hour, the moment it was made as of, scores in hundredths, weights."""
_VALUES = (*SCORES, "version")


@dataclass(slots=True)
class CurrentScores:
    """The current score of each token as the hours go by. ``stored`` are those of the warehouse, in order for each
    token; ``current`` has one row for each token."""

    stored: pl.DataFrame
    current: pl.DataFrame = field(default_factory=lambda: pl.DataFrame(schema=STORED_SCHEMA))
    hour: int = -1

    def new_rows(self, moment: Moment, scored: pl.DataFrame) -> pl.DataFrame:
        """The rows of ``scored`` that are to be stored; they become current. Moments come in order.

        ``scored`` has ``row``, ``as_of``, ``last_time``, the scores and ``version``. The row of a closed hour that was
        made as of its end stays for good.
        """
        self._advance(moment.hour)
        current = self.current.rename({name: f"current_{name}" for name in STORED_SCHEMA if name != "row"})
        compared = scored.join(current, on="row", how="left", maintain_order="left")
        changed = pl.any_horizontal(*(pl.col(name) != pl.col(f"current_{name}") for name in _VALUES))
        as_of = moment.observation.as_of
        active = (pl.col("last_time") > 0) & (as_of - pl.col("last_time") <= _MONTH_SECONDS)
        is_new = (
            pl.when(pl.col("current_hour").is_null())
            .then(pl.lit(True))
            .when(pl.col("current_hour") == moment.hour)
            .then(pl.col("current_as_of") != as_of if moment.closing else changed)
            .otherwise(active | changed)
        )
        new = compared.filter(is_new).select(scored.columns)
        hour = pl.lit(moment.hour, pl.Int64).alias("hour")
        self._replace(new.with_columns(hour).select(list(STORED_SCHEMA)))
        return new

    def _advance(self, hour: int) -> None:
        """Let stored scores up to an hour become current."""
        self._replace(self.stored.filter((pl.col("hour") > self.hour) & (pl.col("hour") <= hour)))
        self.hour = hour

    def _replace(self, later: pl.DataFrame) -> None:
        if not later.is_empty():
            self.current = pl.concat([self.current, later]).group_by("row").last()
