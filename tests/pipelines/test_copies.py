from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal

from pipelines.copies import Candidate, Verdict, judge, precedence
from warehouse.domain.majors import Majors

THEN = datetime(2025, 1, 1, tzinfo=UTC)
NONE = Majors({})
ORIGINAL = Candidate(
    chain_id=1,
    address="0x01",
    symbol_folded="PEPE",
    first_time=THEN,
    holders=500,
    liquidity_usd=Decimal(100_000),
    has_market=True,
    market_score=Decimal("0.5"),
    registered_at=None,
)
NEWCOMER = Candidate(
    chain_id=1,
    address="0x02",
    symbol_folded="PEPE",
    first_time=THEN + timedelta(days=1),
    holders=5,
    liquidity_usd=None,
    has_market=False,
    market_score=Decimal(0),
    registered_at=None,
)


def test_a_token_alone_is_no_copy() -> None:
    assert judge([], NONE) == {}
    assert judge([NEWCOMER], NONE) == {"0x02": Verdict()}


def test_newer_and_much_smaller_without_a_market_is_a_copy() -> None:
    verdicts = judge([ORIGINAL, NEWCOMER], NONE)
    assert verdicts["0x01"] == Verdict()
    assert verdicts["0x02"] == Verdict(True, 1, "0x01", "older_and_larger")


def test_a_token_with_a_market_or_many_holders_or_older_is_no_copy() -> None:
    assert not judge([ORIGINAL, replace(NEWCOMER, has_market=True)], NONE)["0x02"].is_copy
    assert not judge([ORIGINAL, replace(NEWCOMER, holders=51)], NONE)["0x02"].is_copy
    assert not judge([ORIGINAL, replace(NEWCOMER, first_time=THEN - timedelta(days=1))], NONE)["0x02"].is_copy


def test_registering_a_token_makes_larger_ones_copies_too() -> None:
    registered = replace(NEWCOMER, registered_at=THEN + timedelta(days=2))
    verdicts = judge([ORIGINAL, registered], NONE)
    assert verdicts["0x02"] == Verdict()
    assert verdicts["0x01"] == Verdict(True, 1, "0x02", "registered")


def test_tokens_named_like_a_major_are_copies_on_every_chain() -> None:
    majors = Majors({"PEPE": ((10, "0x0a"), (1, "0x01"))})
    verdicts = judge([ORIGINAL, replace(NEWCOMER, registered_at=THEN)], majors)
    assert verdicts["0x01"] == Verdict()
    assert verdicts["0x02"] == Verdict(True, 1, "0x01", "major")
    elsewhere = replace(NEWCOMER, chain_id=56)
    assert judge([elsewhere], majors)["0x02"] == Verdict(True, 10, "0x0a", "major")


def test_a_copy_of_a_copy_is_a_copy_of_the_original() -> None:
    middle = replace(NEWCOMER, holders=50)
    last = replace(NEWCOMER, address="0x03", holders=1, first_time=THEN + timedelta(days=3))
    first = replace(ORIGINAL, liquidity_usd=None)
    verdicts = judge([first, middle, last], NONE)
    assert verdicts["0x02"].of_address == "0x01"
    assert verdicts["0x03"].of_address == "0x01"


def test_precedence_puts_registered_then_originals_then_larger_markets_first() -> None:
    rival = replace(ORIGINAL, address="0x04", market_score=Decimal("0.9"), first_time=THEN + timedelta(days=9))
    registered = replace(NEWCOMER, address="0x05", registered_at=THEN)
    copy = Verdict(True, 1, "0x01", "older_and_larger")
    tokens = [(NEWCOMER, copy), (ORIGINAL, Verdict()), (rival, Verdict()), (registered, Verdict())]
    assert precedence(tokens) == ["0x05", "0x04", "0x01", "0x02"]
