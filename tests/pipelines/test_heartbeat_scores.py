"""Scores computed in Polars equal those of the scalar specification."""

from dataclasses import asdict, replace
from decimal import Decimal

import polars as pl
from hypothesis import example, given
from hypothesis import strategies as st

from pipelines.heartbeats.moments import idle_seconds
from pipelines.heartbeats.observation import DAY_SECONDS, Observation
from pipelines.heartbeats.scores import INPUTS_SCHEMA, SCORES, inputs_json, score_all
from pipelines.scoring import Inputs, score

MONTH_SECONDS = 31 * DAY_SECONDS

inputs = st.builds(
    Inputs,
    idle_seconds=st.none() | st.integers(0, MONTH_SECONDS) | st.integers(0, 10**8),
    volume_24h_usd=st.none() | st.decimals(0, 10**6, places=6).map(str) | st.decimals(0, 10**50, places=6).map(str),
    transfers_24h=st.integers(0, 2_000) | st.integers(0, 10**12),
    holders=st.integers(0, 20_000) | st.integers(0, 10**12),
    observed_seconds=st.integers(0, DAY_SECONDS),
    window_seconds=st.integers(0, DAY_SECONDS),
    read_status=st.sampled_from(["ok", "partial", "broken", "unheard of"]),
    as_of=st.integers(0, 2**32 - 1),
)
SILENT = Inputs(None, None, 0, 0, 0, 0, "ok", 0)


def frame_of(rows: list[Inputs]) -> pl.DataFrame:
    return pl.DataFrame([asdict(row) for row in rows], schema=INPUTS_SCHEMA)


def scores_of(row: Inputs) -> dict[str, int]:
    """The specification's scores, in hundredths."""
    made = score(row)
    return {name: int(getattr(made, name.removesuffix("_score") or name) * 100) for name in SCORES}


@given(st.lists(inputs, max_size=20))
@example([])
@example([SILENT, replace(SILENT, volume_24h_usd="0"), replace(SILENT, volume_24h_usd="0.000001")])
def test_scores_equal_the_specification(rows: list[Inputs]) -> None:
    assert score_all(frame_of(rows)).to_dicts() == [scores_of(row) for row in rows]


def test_every_idle_second_of_the_curve_is_rounded_like_the_specification() -> None:
    """Straight lines cross hundredths exactly in the middle, which rounding in doubles would get wrong."""
    rows = [replace(SILENT, idle_seconds=seconds) for seconds in range(21_000, 30 * DAY_SECONDS + 10, 54)]
    assert score_all(frame_of(rows)).get_column("timestamp_score").to_list() == [
        scores_of(row)["timestamp_score"] for row in rows
    ]


def test_every_count_is_rounded_like_the_specification() -> None:
    rows = [replace(SILENT, holders=count, transfers_24h=count) for count in range(12_000)]
    made = score_all(frame_of(rows))
    expected = [scores_of(row) for row in rows]
    assert made.get_column("holders_score").to_list() == [row["holders_score"] for row in expected]
    assert made.get_column("volume_score").to_list() == [row["volume_score"] for row in expected]
    assert made.get_column("score").to_list() == [row["score"] for row in expected]


@given(st.lists(inputs, min_size=1, max_size=5))
def test_stored_inputs_equal_the_specification(rows: list[Inputs]) -> None:
    stored = frame_of(rows).select(inputs_json().alias("inputs")).to_series().to_list()
    assert stored == [row.to_json() for row in rows]
    assert [Inputs.from_json(text) for text in stored] == rows


def test_decimal_volumes_in_any_notation_count() -> None:
    rows = [replace(SILENT, volume_24h_usd=str(Decimal(text))) for text in ("1E+3", "0E-6", "123.450000")]
    assert score_all(frame_of(rows)).to_dicts() == [scores_of(row) for row in rows]


@given(
    st.lists(st.tuples(st.integers(0, 10_000), st.integers(0, 3_000)), max_size=5),
    st.lists(st.integers(1, 15_000), min_size=1, max_size=10),
)
def test_idle_seconds_leave_out_gaps_like_the_specification(gaps: list[tuple[int, int]], times: list[int]) -> None:
    spans = sorted((start, start + length) for start, length in gaps)
    observation = Observation(12_000, 0, whole_history=True, gaps=spans)
    made = pl.DataFrame({"last_time": times}, schema={"last_time": pl.Int64})
    idle = made.select(idle_seconds(observation, pl.col("last_time"))).to_series().to_list()
    assert idle == [observation.idle_seconds(last_time) for last_time in times]
