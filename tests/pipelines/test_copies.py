"""Which tokens are copies: the rule in Python, and the same in Polars."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from pipelines.copies import Candidate, Exceptions, Hours, Verdict, judge, precedence
from pipelines.documents.verdicts import judge_all, places
from warehouse.domain.copies import CopyRules, Creation, Standing
from warehouse.domain.majors import Majors

THEN = datetime(2025, 1, 1, tzinfo=UTC)
NOW = THEN + timedelta(days=100)
NONE = Majors({})
RULES = CopyRules()
ORIGINAL = Candidate(
    chain_id=1,
    address="0x01",
    symbol_folded="PEPE",
    first_time=THEN,
    market_score=Decimal("0.5"),
    registered_at=None,
    creation=Creation(10, 0),
)
NEWCOMER = replace(
    ORIGINAL, address="0x02", first_time=THEN + timedelta(days=1), market_score=Decimal(0), creation=Creation(20, 0)
)


def standing(held: int = 0, established: int | None = None, days: int | None = None) -> Standing:
    """A standing in USD; its depth began so many days after the chain."""
    since = None if days is None else THEN + timedelta(days=days)
    return Standing(Decimal(held), Decimal(held if established is None else established), since)


ESTABLISHED = standing(20_000, days=3)


def seen(*hours: dict[str, Standing]) -> Hours:
    """The last hours, the newest first."""
    addresses = {address for hour in hours for address in hour}
    return Hours(
        [NOW - timedelta(hours=ago) for ago in range(len(hours))],
        {address: [hour.get(address, Standing()) for hour in hours] for address in addresses},
    )


def copies(*tokens: Candidate, hours: Hours | None = None, exceptions: Exceptions | None = None) -> dict[str, str]:
    """The rules by which tokens are copies, by address."""
    found = judge(tokens, NONE, hours, RULES, exceptions)
    return {address: verdict.rule for address, verdict in found.items() if verdict.is_copy}


def test_tokens_without_depth_are_no_copies_of_each_other() -> None:
    assert judge([], NONE) == {}
    assert copies(NEWCOMER) == copies(ORIGINAL, NEWCOMER) == {}


def test_a_junior_token_below_half_of_an_established_one_is_a_copy() -> None:
    now = {"0x01": ESTABLISHED}
    assert judge([ORIGINAL, NEWCOMER], NONE, seen(now))["0x02"] == Verdict(True, 1, "0x01", "senior")
    assert copies(ORIGINAL, NEWCOMER, hours=seen({**now, "0x02": standing(9_999, days=4)})) == {"0x02": "senior"}
    assert copies(ORIGINAL, NEWCOMER, hours=seen({**now, "0x02": standing(10_000, days=4)})) == {}


def test_below_the_threshold_nobody_is_established() -> None:
    assert copies(ORIGINAL, NEWCOMER, hours=seen({"0x01": standing(9_999, days=3)})) == {}
    assert copies(ORIGINAL, NEWCOMER, hours=seen({"0x01": standing(0, 10_000, days=3)})) == {"0x02": "senior"}


def test_a_senior_token_is_never_a_copy_of_a_junior_one() -> None:
    heavy = standing(1_000_000, days=50)
    assert copies(ORIGINAL, NEWCOMER, hours=seen({"0x01": standing(1, days=3), "0x02": heavy})) == {}
    registered = replace(NEWCOMER, registered_at=NOW - timedelta(days=20))
    assert copies(ORIGINAL, registered, hours=seen({"0x01": standing(1, days=3), "0x02": heavy})) == {}


def test_a_token_that_took_the_symbol_later_is_not_senior_under_it() -> None:
    hours = seen({"0x01": ESTABLISHED, "0x02": standing(5, days=0)})
    always = replace(NEWCOMER, creation=Creation(1, 0))
    assert copies(ORIGINAL, always, hours=hours) == {}
    renamed = replace(always, named_at=THEN + timedelta(days=50))
    assert copies(ORIGINAL, renamed, hours=hours) == {"0x02": "senior"}


def test_a_token_deployed_early_without_depth_is_junior_to_one_with() -> None:
    dust = replace(NEWCOMER, creation=Creation(1, 0))
    assert copies(ORIGINAL, dust, hours=seen({"0x01": ESTABLISHED})) == {"0x02": "senior"}


def test_depth_since_the_same_hour_is_ordered_by_block_and_position() -> None:
    hours = seen({"0x01": standing(20_000, days=3), "0x02": standing(5, days=3)})
    assert copies(ORIGINAL, NEWCOMER, hours=hours) == {"0x02": "senior"}
    beside = replace(NEWCOMER, creation=Creation(10, 1), first_time=THEN)
    assert copies(ORIGINAL, beside, hours=hours) == {"0x02": "senior"}
    before = replace(NEWCOMER, creation=Creation(9, 7), address="0xff", first_time=THEN)
    assert copies(ORIGINAL, before, hours=seen({"0x01": hours.standings["0x01"][0], "0xff": standing(5, days=3)})) == {}


def test_a_verdict_becomes_copy_at_once_and_ends_a_day_after_the_rule() -> None:
    light, heavy = {"0x01": ESTABLISHED}, {"0x01": ESTABLISHED, "0x02": standing(15_000, days=9)}
    assert copies(ORIGINAL, NEWCOMER, hours=seen(light, *[heavy] * 23)) == {"0x02": "senior"}
    verdict = judge([ORIGINAL, NEWCOMER], NONE, seen(*[heavy] * 23, light))["0x02"]
    assert (verdict.is_copy, verdict.until) == (True, NOW + timedelta(hours=2))
    assert copies(ORIGINAL, NEWCOMER, hours=seen(*[heavy] * 24)) == {}


def test_a_junior_and_lighter_token_is_a_copy_of_the_registered_one() -> None:
    registered = replace(ORIGINAL, registered_at=THEN + timedelta(days=9))
    assert copies(registered, NEWCOMER) == {"0x02": "registered"}
    assert copies(registered, NEWCOMER, hours=seen({"0x01": standing(5, days=3)})) == {"0x02": "registered"}
    weights = {"0x01": standing(5, days=3), "0x02": standing(6, days=4)}
    assert copies(registered, NEWCOMER, hours=seen(weights)) == {}
    assert copies(registered, replace(NEWCOMER, creation=Creation(9, 0))) == {}


def test_a_registered_clone_is_a_copy_of_what_was_there_before_and_of_nothing_later() -> None:
    clone = replace(NEWCOMER, registered_at=THEN + timedelta(days=9))
    assert copies(ORIGINAL, clone, hours=seen({"0x01": ESTABLISHED})) == {"0x02": "senior"}
    assert copies(ORIGINAL, clone, hours=seen({"0x01": standing(20_000, days=10)})) == {}


def test_a_migration_is_no_copy() -> None:
    hours = seen({"0x01": ESTABLISHED})
    account, other = replace(ORIGINAL, account="aa"), replace(NEWCOMER, account="aa")
    assert copies(account, other, hours=hours) == {}
    assert copies(account, replace(other, account="bb"), hours=hours) == {"0x02": "senior"}
    agreed = Exceptions(consents=frozenset({("0x01", "0x02")}))
    assert copies(ORIGINAL, NEWCOMER, hours=hours, exceptions=agreed) == {}
    reverse = Exceptions(consents=frozenset({("0x02", "0x01")}))
    assert copies(ORIGINAL, NEWCOMER, hours=hours, exceptions=reverse) == {"0x02": "senior"}


def test_the_operator_decides_over_all_rules() -> None:
    hours = seen({"0x01": ESTABLISHED})
    cleared = Exceptions(rulings={"0x02": Verdict()})
    assert copies(ORIGINAL, NEWCOMER, hours=hours, exceptions=cleared) == {}
    judged = Exceptions(rulings={"0x01": Verdict(True, 1, "0x02", "operator")})
    assert copies(ORIGINAL, NEWCOMER, exceptions=judged) == {"0x01": "operator"}


def test_tokens_named_like_a_major_are_copies_on_every_chain() -> None:
    majors = Majors({"PEPE": ((10, "0x0a"), (1, "0x01"))})
    verdicts = judge([ORIGINAL, replace(NEWCOMER, registered_at=THEN)], majors)
    assert verdicts["0x01"] == Verdict()
    assert verdicts["0x02"] == Verdict(True, 1, "0x01", "major")
    elsewhere = replace(NEWCOMER, chain_id=56)
    assert judge([elsewhere], majors)["0x02"] == Verdict(True, 10, "0x0a", "major")


def test_a_copy_of_a_copy_is_a_copy_of_the_original() -> None:
    last = replace(NEWCOMER, address="0x03", creation=Creation(30, 0))
    hours = seen({"0x01": standing(100_000, days=3), "0x02": standing(20_000, days=4)})
    assert {verdict.of_address for verdict in judge([ORIGINAL, NEWCOMER, last], NONE, hours).values()} == {"", "0x01"}


def test_what_may_be_older_than_the_index_leaves_its_namesakes_undecided() -> None:
    old = replace(ORIGINAL, creation=None, older_than_index=True)
    verdicts = judge([old, NEWCOMER], NONE, seen({"0x02": ESTABLISHED}))
    assert verdicts["0x02"] == Verdict(unknown="depth_unknown")
    assert (verdicts["0x01"].is_copy, verdicts["0x01"].unknown) == (True, "depth_unknown")
    assert judge([old], NONE)["0x01"] == Verdict()


def test_an_unknown_creation_matters_only_where_it_decides() -> None:
    unseen = replace(ORIGINAL, creation=None)
    tie = seen({"0x01": standing(20_000, days=3), "0x02": standing(5, days=3)})
    assert judge([unseen, NEWCOMER], NONE, tie)["0x02"] == Verdict(unknown="creation_unknown")
    assert judge([unseen, NEWCOMER], NONE)["0x02"] == Verdict()
    registered = replace(unseen, registered_at=NOW)
    assert judge([registered, NEWCOMER], NONE)["0x02"] == Verdict(unknown="creation_unknown")


def test_precedence_puts_registered_then_originals_then_larger_markets_then_older_first() -> None:
    beside = replace(ORIGINAL, address="0x00", creation=Creation(10, 1))
    rival = replace(ORIGINAL, address="0x04", market_score=Decimal("0.9"), first_time=THEN + timedelta(days=9))
    registered = replace(NEWCOMER, address="0x05", registered_at=THEN)
    copy = Verdict(True, 1, "0x01", "senior")
    tokens = [(NEWCOMER, copy), (beside, Verdict()), (ORIGINAL, Verdict()), (rival, Verdict()), (registered, Verdict())]
    assert precedence(tokens) == ["0x05", "0x04", "0x01", "0x00", "0x02"]


AMOUNTS = st.sampled_from([0, 1, 4_999, 5_000, 9_999, 10_000, 20_000, 100_000])
STANDINGS = st.one_of(
    st.just(Standing()),
    st.builds(
        lambda held, more, days: standing(held, held + more, days), AMOUNTS, AMOUNTS, st.sampled_from([None, 1, 2, 3])
    ),
)


@st.composite
def groups(draw: st.DrawFn) -> tuple[list[Candidate], Hours, Exceptions]:
    """Tokens of two symbols, what was stored of them, and what people decided."""
    tokens = [
        Candidate(
            chain_id=1,
            address=f"0x{number:02d}",
            symbol_folded=draw(st.sampled_from(["PEPE", "PEPE", "FROG"])),
            first_time=THEN + timedelta(days=draw(st.integers(0, 2))),
            market_score=Decimal(draw(st.integers(0, 2))),
            registered_at=draw(st.none() | st.integers(0, 4).map(lambda days: THEN + timedelta(days=days))),
            creation=draw(st.none() | st.builds(Creation, st.integers(0, 2), st.integers(0, 1))),
            account=draw(st.sampled_from(["", "", "aa"])),
            older_than_index=draw(st.sampled_from([False, False, False, True])),
            named_at=draw(st.sampled_from([None, None, THEN + timedelta(days=2), NOW])),
        )
        for number in range(draw(st.integers(1, 6)))
    ]
    length = draw(st.sampled_from([0, 1, 2, 3]))
    kept = [token.address for token in tokens if draw(st.booleans())] if length else []
    standings = {address: draw(st.lists(STANDINGS, min_size=length, max_size=length)) for address in kept}
    pairs = [(one.address, other.address) for one in tokens for other in tokens if one is not other]
    consents = frozenset(draw(st.lists(st.sampled_from(pairs), max_size=2))) if pairs else frozenset()
    ruled = [token for token in tokens if draw(st.integers(0, 9)) == 0]
    rulings = {token.address: Verdict(True, 1, tokens[0].address, "operator") for token in ruled}
    hours = [NOW - timedelta(hours=ago) for ago in range(length)]
    return tokens, Hours(hours, standings), Exceptions(consents, rulings)


@given(groups())
def test_the_joins_judge_and_order_as_the_rule_does(case: tuple[list[Candidate], Hours, Exceptions]) -> None:
    tokens, hours, exceptions = case
    majors = Majors({"FROG": ((1, "0x00"),)})
    by_symbol = {symbol: [token for token in tokens if token.symbol_folded == symbol] for symbol in ("PEPE", "FROG")}
    expected: dict[str, Verdict] = {}
    order: dict[str, int] = {}
    for group in by_symbol.values():
        verdicts = judge(group, majors, hours, RULES, exceptions)
        expected |= verdicts
        placed = precedence([(token, verdicts[token.address]) for token in group])
        order |= {address: place for place, address in enumerate(placed)}
    found = judge_all(tokens, majors, hours, RULES, exceptions)
    assert found == expected
    assert places(tokens, [token.symbol_folded for token in tokens], found) == order


@given(st.lists(STANDINGS, min_size=1, max_size=5), st.integers(0, 5))
def test_whoever_has_had_depth_for_longest_is_no_copy(standings: list[Standing], registered: int) -> None:
    tokens = [
        replace(ORIGINAL, address=f"0x{place:02d}", creation=Creation(9 - place, 0), registered_at=None)
        for place in range(len(standings) + 1)
    ]
    tokens = [replace(token, registered_at=NOW) if place == registered else token for place, token in enumerate(tokens)]
    oldest = standing(0, 0, days=0)
    hour = {token.address: found for token, found in zip(tokens, [oldest, *standings], strict=True)}
    assert not judge(tokens, NONE, seen(hour), RULES)["0x00"].is_copy
