from dataclasses import replace
from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from pipelines.heartbeats.observation import DAY_SECONDS, Observation
from pipelines.scoring import VERSION, WEIGHTS, Inputs, score

inputs = st.builds(
    Inputs,
    idle_seconds=st.none() | st.integers(0, 10**8),
    volume_24h_usd=st.none() | st.decimals(0, 10**15, places=6).map(str),
    transfers_24h=st.integers(0, 10**9),
    holders=st.integers(0, 10**9),
    observed_seconds=st.integers(0, DAY_SECONDS),
    window_seconds=st.integers(0, DAY_SECONDS),
    read_status=st.sampled_from(["ok", "partial", "broken"]),
    as_of=st.integers(0, 2**32 - 1),
)
LIVELY = Inputs(
    idle_seconds=60,
    volume_24h_usd="250000.000000",
    transfers_24h=5_000,
    holders=20_000,
    observed_seconds=DAY_SECONDS,
    window_seconds=DAY_SECONDS,
    read_status="ok",
    as_of=1_750_000_000,
)


@given(inputs)
def test_stored_inputs_make_the_same_score_again(given_inputs: Inputs) -> None:
    made = score(given_inputs)
    again = score(Inputs.from_json(given_inputs.to_json()), made.version)
    assert again == made
    assert str(again.score) == str(made.score)


@given(inputs)
def test_every_score_lies_between_0_and_100(given_inputs: Inputs) -> None:
    made = score(given_inputs)
    for figure in (made.score, made.timestamp, made.volume, made.holders, made.confidence):
        assert 0 <= figure <= 100
        assert figure.as_tuple().exponent == -2


@given(inputs, st.integers(1, 10**7))
def test_inactivity_never_raises_a_score(given_inputs: Inputs, longer: int) -> None:
    if given_inputs.idle_seconds is not None:
        later = replace(given_inputs, idle_seconds=given_inputs.idle_seconds + longer)
        assert score(later).score <= score(given_inputs).score


@given(inputs, st.integers(1, 10**7))
def test_holders_never_lower_a_score(given_inputs: Inputs, more: int) -> None:
    assert score(replace(given_inputs, holders=given_inputs.holders + more)).score >= score(given_inputs).score


def test_weights_sum_to_one() -> None:
    for weights in WEIGHTS.values():
        assert sum(weights.values()) == 1


def test_version_1_never_changes() -> None:
    """Scores of version 1: if this fails, make a version 2 instead."""
    assert score(LIVELY, 1).score == Decimal("100.00")
    quiet = replace(LIVELY, idle_seconds=400_000, volume_24h_usd=None, transfers_24h=3, holders=50)
    made = score(quiet, 1)
    assert (made.timestamp, made.volume, made.holders, made.confidence) == (
        Decimal("57.78"), Decimal("16.05"), Decimal("42.69"), Decimal("100.00"),
    )  # fmt: skip
    assert made.score == Decimal("52.77")
    assert VERSION in WEIGHTS


def test_a_gap_in_the_data_lowers_confidence_and_nothing_else() -> None:
    gap = (1_749_990_000, 1_749_997_200)
    seen = Observation(1_750_000_000, 0, whole_history=True, gaps=())
    unseen = Observation(1_750_000_000, 0, whole_history=True, gaps=(gap,))
    last = 1_749_980_000
    assert seen.idle_seconds(last) == 20_000
    assert unseen.idle_seconds(last) == 20_000 - 7_200
    observed, window = unseen.day_window()
    assert (observed, window) == (DAY_SECONDS - 7_200, DAY_SECONDS)
    with_gap = score(replace(LIVELY, observed_seconds=observed, window_seconds=window))
    assert with_gap.confidence < 100
    assert with_gap.timestamp == score(LIVELY).timestamp


def test_a_young_chain_is_not_a_gap() -> None:
    young = Observation(1_750_000_000, 1_749_999_000, whole_history=True, gaps=())
    assert young.day_window() == (1_000, 1_000)
    partly_indexed = Observation(1_750_000_000, 1_749_999_000, whole_history=False, gaps=())
    assert partly_indexed.day_window() == (1_000, DAY_SECONDS)
