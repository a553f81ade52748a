"""The decision as a pure function: what must hold at both hours, and what rules cannot decide."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.challenges.rules import (
    Check,
    Comparison,
    Evidence,
    Side,
    decide,
    hour_before,
    hour_of,
    is_open_to_challenges,
)
from warehouse.domain.copies import CopyRules

RULES = CopyRules()
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
ORIGINAL = Side(Decimal(64_000), True, NOON - timedelta(days=90))
COPY = Side(Decimal(1_200), False, NOON - timedelta(days=1))
THEN = Comparison(NOON, ORIGINAL, COPY, True)
SURE = Evidence(at_mint=THEN, at_opening=THEN)

sides = st.builds(
    Side,
    st.decimals(min_value=0, max_value=10**9, places=6),
    st.booleans(),
    st.none() | st.just(NOON),
)
comparisons = st.builds(Comparison, st.just(NOON), sides, sides, st.none() | st.booleans())
evidences = st.builds(Evidence, st.none() | comparisons, comparisons, st.booleans())


def test_a_sure_case_is_upheld_and_says_why() -> None:
    decision = decide(SURE, RULES)
    assert (decision.upheld, decision.check) == (True, None)
    assert "64000 USD at the mint" in decision.reason
    assert "1200 USD" in decision.reason


@pytest.mark.parametrize("place", ["at_mint", "at_opening"])
@pytest.mark.parametrize(
    ("change", "check"),
    [
        ({"challenger": replace(ORIGINAL, is_established=False)}, Check.NOT_ESTABLISHED),
        ({"challenger_is_senior": False}, Check.NOT_SENIOR),
        ({"registered": replace(COPY, weight_usd=Decimal(128_000))}, Check.OUTWEIGHED),
        ({"challenger": replace(ORIGINAL, weight_usd=Decimal(0))}, Check.OUTWEIGHED),
    ],
)
def test_each_condition_must_hold_at_both_hours(place: str, change: dict[str, object], check: Check) -> None:
    decision = decide(replace(SURE, **{place: replace(THEN, **change)}), RULES)  # type: ignore[arg-type]
    assert (decision.upheld, decision.check) == (False, check)
    assert ("at the mint" in decision.reason) == (place == "at_mint")


def test_less_than_twice_the_weight_is_a_copy_to_the_last_digit() -> None:
    for weight, upheld in (("127999.999999", True), ("128000", False)):
        now = replace(THEN, registered=replace(COPY, weight_usd=Decimal(weight)))
        assert decide(replace(SURE, at_opening=now), RULES).upheld is upheld


def test_what_is_not_known_is_left_to_an_operator() -> None:
    assert decide(replace(SURE, at_mint=None), RULES).check is Check.NO_HISTORY
    unknown = replace(THEN, challenger_is_senior=None)
    assert decide(replace(SURE, at_mint=unknown), RULES).check is Check.UNKNOWN_ORDER
    assert decide(replace(SURE, at_opening=unknown), RULES).upheld is None


def test_a_migration_is_no_copy() -> None:
    assert decide(replace(SURE, is_migration=True), RULES).check is Check.MIGRATION


@given(evidences)
def test_upheld_means_every_condition_at_both_hours(evidence: Evidence) -> None:
    decision = decide(evidence, RULES)
    assert decision.reason.endswith(".")
    if decision.upheld:
        assert not evidence.is_migration
        assert evidence.at_mint is not None
        for hour in (evidence.at_mint, evidence.at_opening):
            assert hour.challenger.is_established
            assert hour.challenger_is_senior is True
            assert hour.registered.weight_usd < 2 * hour.challenger.weight_usd
    elif decision.upheld is False:
        assert decision.check is not None


@given(evidences, st.decimals(min_value=0, max_value=10**6, places=6))
def test_more_weight_of_the_registered_token_never_helps_the_challenger(evidence: Evidence, more: Decimal) -> None:
    now = evidence.at_opening
    heavier = replace(now, registered=replace(now.registered, weight_usd=now.registered.weight_usd + more))
    if not decide(evidence, RULES).upheld:
        assert not decide(replace(evidence, at_opening=heavier), RULES).upheld


@given(evidences)
def test_figures_are_kept_exactly(evidence: Evidence) -> None:
    kept = evidence.as_json()["atOpening"]["challenger"]
    assert Decimal(kept["weightUsd"]) == evidence.at_opening.challenger.weight_usd


def test_the_hours_are_whole_and_lie_before_the_moment() -> None:
    moment = NOON + timedelta(minutes=59, seconds=59)
    assert (hour_of(moment), hour_before(moment)) == (NOON, NOON - timedelta(hours=1))
    assert hour_before(NOON) == NOON - timedelta(hours=1)


def test_the_grace_period_ends_after_thirty_days_to_the_second() -> None:
    end = NOON + timedelta(days=30)
    assert is_open_to_challenges(NOON, end - timedelta(seconds=1))
    assert not is_open_to_challenges(NOON, end)
