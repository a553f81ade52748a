"""Verdicts and places computed in Polars equal those of the scalar specification."""

from collections import defaultdict
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from pipelines.copies import Candidate, Verdict, judge, precedence
from pipelines.documents.verdicts import judge_all, places
from warehouse.domain.majors import Majors

THEN = datetime(2025, 1, 1, tzinfo=UTC)
MAJORS = Majors({"M": ((1, "0x01"), (10, "0x0a"))})
# Few different values, so that tokens often tie and often outweigh each other by exactly the factor.
times = st.integers(0, 4).map(lambda days: THEN + timedelta(days=days))
candidates = st.builds(
    Candidate,
    chain_id=st.just(1),
    address=st.just(""),
    symbol_folded=st.sampled_from("AMB"),
    first_time=times,
    holders=st.sampled_from([0, 1, 2, 9, 10, 20, 100, 200, 1_000]),
    liquidity_usd=st.none()
    | st.sampled_from(["0", "0.000001", "0.00001", "5", "50", "500.000000", "1e59"]).map(Decimal),
    has_market=st.booleans(),
    market_score=st.sampled_from(["0", "0.123456789", "0.5"]).map(Decimal),
    registered_at=st.none() | st.none() | times,
)
groups = st.lists(candidates, max_size=25).map(
    lambda tokens: [replace(token, address=f"0x{place:02x}") for place, token in enumerate(tokens)]
)


def judged_one_by_one(tokens: list[Candidate]) -> dict[str, Verdict]:
    by_symbol: dict[str, list[Candidate]] = defaultdict(list)
    for token in tokens:
        by_symbol[token.symbol_folded].append(token)
    return {address: verdict for group in by_symbol.values() for address, verdict in judge(group, MAJORS).items()}


@given(groups)
def test_verdicts_equal_the_specification(tokens: list[Candidate]) -> None:
    assert judge_all(tokens, MAJORS) == judged_one_by_one(tokens)


@given(groups)
def test_places_equal_the_specification(tokens: list[Candidate]) -> None:
    verdicts = judged_one_by_one(tokens)
    keys = [token.symbol_folded for token in tokens]
    by_key: dict[str, list[tuple[Candidate, Verdict]]] = defaultdict(list)
    for key, token in zip(keys, tokens, strict=True):
        by_key[key].append((token, verdicts[token.address]))
    expected = {address: place for group in by_key.values() for place, address in enumerate(precedence(group))}
    assert places(tokens, keys, verdicts) == expected
