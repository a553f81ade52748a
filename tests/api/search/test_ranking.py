"""Properties of the ranking function for arbitrary rows."""

from datetime import UTC, datetime, timedelta

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from api.search.ranking import Level, chain_order, find_matches, order, select
from warehouse.domain.lifecycle import SymbolStatus
from warehouse.readers.columns import SortKey
from warehouse.readers.search import TokenRows

NOW = datetime(2026, 5, 1, tzinfo=UTC)
CHAINS = {"base": 8453, "eth": 1, "avax": 43114}
SYMBOLS = ("MOON", "M00N", "MOONS")


@st.composite
def token_rows(draw: st.DrawFn) -> TokenRows:
    """Any tokens of three symbols; each copy names an original of the set with the same folded symbol."""
    count = draw(st.integers(0, 30))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    symbol = rng.integers(0, 3, count).astype(np.uint32)
    chain = rng.choice(list(CHAINS.values()), count).astype(np.uint32)
    address = np.zeros((count, 32), np.uint8)
    address[:, 0] = np.arange(count)
    is_copy = (rng.random(count) < 0.5).astype(np.uint8)
    copied, copied_chain = np.zeros((count, 32), np.uint8), np.zeros(count, np.uint32)
    for place in np.flatnonzero(is_copy):
        same = np.flatnonzero((is_copy == 0) & ((symbol == 2) == (symbol[place] == 2)))
        if len(same):
            original = rng.choice(same)
            copied[place], copied_chain[place] = address[original], chain[original]
        else:
            is_copy[place] = 0
    return TokenRows(
        symbols=SYMBOLS,
        symbol=symbol,
        chain_id=chain,
        address=address,
        address_bytes=np.full(count, 20, np.uint8),
        version=np.ones(count, np.uint64),
        is_copy=is_copy,
        copy_of_chain_id=copied_chain,
        copy_of_address=copied,
        registered=rng.integers(0, 2, count).astype(np.uint8),
        registered_at=(int(NOW.timestamp()) - rng.choice([1, 60], count) * 86400).astype(np.uint32),
        heartbeat_hundredths=rng.choice([-1, 5999, 6000], count).astype(np.int32),
        factory_owner=np.zeros((count, 20), np.uint8),
        market_score=rng.integers(0, 3, count).astype(np.int64),
        sort_value=SortKey((rng.integers(-2, 3, count),), rng.random(count) < 0.3),
        documents=None,
    )


def ordered(rows: TokenRows, *, by_value: bool, descending: bool) -> tuple[object, list[int]]:
    matches = find_matches(rows, available_on=[100], chain_ranks=chain_order(CHAINS), now=NOW, wallet=None)
    chosen = select(matches, chain_id=None, statuses=None, crowns_only=False, include_inactive=True)
    return matches, order(matches, chosen, by_value=by_value, descending=descending).tolist()


@settings(max_examples=150)
@given(token_rows(), st.booleans())
def test_relevance_never_puts_a_copy_above_its_original(rows: TokenRows, descending: bool) -> None:
    _, places = ordered(rows, by_value=False, descending=descending)
    at = {(int(rows.chain_id[row]), rows.address[row].tobytes()): places.index(row) for row in range(len(rows))}
    for row in np.flatnonzero(rows.is_copy):
        original = (int(rows.copy_of_chain_id[row]), rows.copy_of_address[row].tobytes())
        assert at[original] < places.index(row)


@settings(max_examples=100)
@given(token_rows(), st.booleans(), st.booleans())
def test_an_order_is_total_and_independent_of_the_order_of_rows(
    rows: TokenRows, by_value: bool, descending: bool
) -> None:
    _, places = ordered(rows, by_value=by_value, descending=descending)
    assert sorted(places) == list(range(len(rows) + 1))
    turned = np.arange(len(rows))[::-1]
    names = [name for name in TokenRows.__slots__ if name not in ("symbols", "sort_value", "documents")]
    reversed_rows = TokenRows(
        symbols=rows.symbols,
        **{name: getattr(rows, name)[turned] for name in names},
        sort_value=rows.sort_value.select(turned),
        documents=None,
    )
    _, again = ordered(reversed_rows, by_value=by_value, descending=descending)
    back = [len(rows) - 1 - place if place < len(rows) else place for place in again]
    assert back == places


@settings(max_examples=100)
@given(token_rows(), st.booleans())
def test_a_sort_value_orders_everything_and_unknown_comes_last(rows: TokenRows, descending: bool) -> None:
    matches, places = ordered(rows, by_value=True, descending=descending)
    key = matches.sort_value.select(np.array(places))  # type: ignore[attr-defined]
    known = key.words[0][~key.missing].tolist()
    assert known == sorted(known, reverse=descending)
    assert not key.missing[: len(known)].any()
    assert key.missing[len(known) :].all()


def test_levels_and_statuses_are_in_the_order_of_their_priority() -> None:
    assert [level.name for level in Level] == ["EXACT", "CONFUSABLE", "NEAR"]
    assert [status.text for status in SymbolStatus] == [
        "available", "unclaimed", "grace_period", "claimed", "owned", "inactive",
    ]  # fmt: skip


def test_chains_with_a_priority_come_first() -> None:
    keys = {"eth": 1, "gnosis": 100, "base": 8453, "arbitrum": 42161, "avax": 43114}
    assert chain_order(keys) == {42161: 0, 8453: 1, 1: 2, 100: 3, 43114: 4}


def test_thirty_days_of_grace_end_to_the_second() -> None:
    minted = int((NOW - timedelta(days=30)).timestamp())
    statuses = []
    for seconds in (0, 1):
        rows = TokenRows(
            symbols=("A",),
            symbol=np.zeros(1, np.uint32),
            chain_id=np.array([1], np.uint32),
            address=np.zeros((1, 32), np.uint8),
            address_bytes=np.array([20], np.uint8),
            version=np.ones(1, np.uint64),
            is_copy=np.zeros(1, np.uint8),
            copy_of_chain_id=np.zeros(1, np.uint32),
            copy_of_address=np.zeros((1, 32), np.uint8),
            registered=np.ones(1, np.uint8),
            registered_at=np.array([minted + seconds], np.uint32),
            heartbeat_hundredths=np.array([100], np.int32),
            factory_owner=np.zeros((1, 20), np.uint8),
            market_score=np.zeros(1, np.int64),
            sort_value=SortKey((np.zeros(1, np.int64),), np.zeros(1, bool)),
            documents=None,
        )
        matches = find_matches(rows, available_on=[], chain_ranks={1: 0}, now=NOW, wallet=None)
        statuses.append(SymbolStatus(int(matches.status[0])))
    assert statuses == [SymbolStatus.INACTIVE, SymbolStatus.GRACE_PERIOD]
