"""Where readings come from: the query of each source in the warehouse, and how far back it has to look."""

from collections.abc import Iterable, Mapping
from typing import Final

import polars as pl

from warehouse.alerts.judging import SERIES
from warehouse.domain.addresses import digits_of
from warehouse.domain.alerts import AlertType, Source

HOUR, DAY = 3_600, 86_400
QUERIES: Final[Mapping[Source, str]] = {
    Source.MARKET: "queries/alerts/market",
    Source.HOLDERS: "queries/alerts/holders",
    Source.HEARTBEATS: "queries/alerts/heartbeats",
    Source.CONCENTRATION: "queries/alerts/concentration",
}
"""Statements by source; copies are in the store."""
_MARGIN: Final[Mapping[Source, int]] = {
    Source.MARKET: DAY,
    Source.HOLDERS: 0,
    Source.HEARTBEATS: 2 * HOUR,
    Source.CONCENTRATION: 2 * DAY,
    Source.COPIES: 0,
}
"""Seconds that readings go back beyond the earliest moment that is asked for: volumes are of 24 hours, and the other
series have to begin with a reading."""


def begin_of(source: Source, first_moment: int, longest_window: int) -> int:
    """From when on readings are needed, in unix seconds: the beginning of a day. Copies are summed over the window, and
    compared with the window before."""
    windows = 2 if source is Source.COPIES else 1
    return (first_moment - windows * longest_window - _MARGIN[source]) // DAY * DAY


def series_of(type: AlertType, found: pl.DataFrame) -> pl.DataFrame:
    """The readings of one type, of the columns that its source has."""
    return found.select(pl.col("token_hex").alias("token"), "at", pl.col(type.name).alias("value")).cast(SERIES)


def copies_series(tokens: list[str], begin: int, seen: list[tuple[str, int]]) -> pl.DataFrame:
    """The readings of copies: none at first, and one more whenever one was seen."""
    rows = [(token, begin, 0.0) for token in tokens] + [(token, at, 1.0) for token, at in seen]
    return pl.DataFrame(rows, {"token_hex": pl.String, "at": pl.Int64, "copycat_detected": pl.Float64}, orient="row")


def standing_scores(scores: Iterable[tuple[str, float]], begin: int) -> pl.DataFrame:
    """The readings of tokens, by address, that were last scored before ``begin``: a quiet token has no rows by the
    hour."""
    return pl.DataFrame(
        [(digits_of(address), begin, score) for address, score in scores],
        {"token_hex": pl.String, "at": pl.Int64, "heartbeat_score": pl.Float64},
        orient="row",
    )
