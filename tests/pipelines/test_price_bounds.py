"""The stated bound of a price, tried with whatever an attacker may do with a budget (docs/decisions/0002-prices.md)."""

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from math import sqrt

from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.pricing import Pool, State, token_metrics, usd_quotes
from pipelines.rules import MARKET
from tests.factories.amounts import DOLLAR, ETHER
from tests.factories.pools import COIN, REFERENCE, USDC, USDT, WETH, pool

LEAST = float(MARKET.min_depth_usd)
QUOTES = usd_quotes([USDC], [WETH], [REFERENCE])
ROUNDING = 1.000001

# Honest dollars in a pool, and the honest price there.
honest_pools = st.lists(st.tuples(st.floats(1_100, 1_000_000), st.floats(0.9, 1.1)), min_size=1, max_size=8)
# A swap: which pool, which way, and how much of what is left of the budget.
swaps = st.lists(st.tuples(st.integers(0, 7), st.booleans(), st.floats(0, 1)), max_size=12)
# Pools of the attacker's own: how much of what is left of the budget lies in one, and what it says the price is.
own_pools = st.lists(st.tuples(st.floats(0, 1), st.floats(1e-6, 1e6)), max_size=6)


def made(name: str, coins: int, dollars: int) -> Pool:
    """A V2 pool of base units of COIN and of USDC."""
    state: State = (coins, dollars, 0)
    return replace(pool(name, COIN, 1, USDC, 1), state=state, amount0_raw=coins, amount1_raw=dollars, past={1: state})


def swapped(target: Pool, *, buys: bool, amount: float, price: float) -> Pool:
    """After a swap of ``amount`` dollars' worth, as the contract computes it, at no fee: that helps the attacker."""
    coins, dollars = target.amount0_raw, target.amount1_raw
    if buys:
        added = int(amount * DOLLAR)
        return made(target.pool, max(1, coins * dollars // (dollars + added)), dollars + added)
    added = int(amount / price * ETHER)
    return made(target.pool, coins + added, max(1, coins * dollars // (coins + added)))


def served(pools: Sequence[Pool]) -> float | None:
    price = token_metrics(COIN, pools, QUOTES).price_usd
    return None if price is None else float(price)


@settings(max_examples=300)
@given(honest_pools, st.floats(0.01, 0.99), swaps, own_pools)
def test_moving_a_price_costs_a_share_of_the_weight(
    honest: list[tuple[float, float]],
    share: float,
    moves: list[tuple[int, bool, float]],
    own: list[tuple[float, float]],
) -> None:
    weight = sum(dollars - LEAST for dollars, _ in honest)
    budget = left = share * weight
    pools = [made(f"h{at}", int(dollars / price * ETHER), int(dollars * DOLLAR)) for at, (dollars, price) in
             enumerate(honest)]  # fmt: skip
    for at, buys, part in moves:
        at %= len(pools)
        pools[at] = swapped(pools[at], buys=buys, amount=part * left, price=honest[at][1])
        left *= 1 - part
    for at, (part, price) in enumerate(own):
        pools.append(made(f"a{at}", max(1, int(part * left / price * ETHER)), max(1, int(part * left * DOLLAR))))
        left *= 1 - part
    found = served(pools)
    assert found is not None
    bound = ((weight + budget) / (weight - budget)) ** 2 * ROUNDING
    assert min(price for _, price in honest) / bound <= found <= max(price for _, price in honest) * bound


def test_one_pools_price_moves_by_the_square_of_the_amount_in() -> None:
    """Half of its dollars more: the price rises to (1 + 1/2)², where the bound is 9 times."""
    deep = made("h", 1_000_000 * ETHER, 1_000_000 * DOLLAR)
    weight, budget = 1_000_000 - LEAST, 500_000.0
    found = served([swapped(deep, buys=True, amount=budget, price=1)])
    assert found is not None
    assert abs(found - 2.25) < 0.001
    assert sqrt(found) <= (weight + budget) / (weight - budget)


@given(st.lists(st.tuples(st.floats(1_001, 5_000), st.floats(1e-6, 1e6)), max_size=40))
def test_a_budget_below_the_minimum_depth_moves_nothing_in_any_number_of_pools(
    cut: list[tuple[float, float]],
) -> None:
    deep = made("h", 200_000 * ETHER, 200_000 * DOLLAR)
    own = [made(f"a{at}", max(1, int(dollars / price * ETHER)), int(dollars * DOLLAR)) for at, (dollars, price) in
           enumerate(cut)]  # fmt: skip
    assert sum(dollars for dollars, _ in cut) <= 200_000
    assert served([deep, *own]) == 1.0


@given(st.lists(st.floats(1_000, 1_100), min_size=1, max_size=10), st.floats(2_000, 10_000), st.floats(1.5, 1e6))
def test_pushing_pools_below_the_threshold_gains_no_more_than_it_costs(
    shallow: list[float], own: float, lie: float
) -> None:
    honest = [made(f"h{at}", int(dollars * ETHER), int(dollars * DOLLAR)) for at, dollars in enumerate(shallow)]
    deep = made("d", int(20_000 * ETHER), 20_000 * DOLLAR)
    knocked = [swapped(one, buys=False, amount=dollars - 999, price=1) for one, dollars in
               zip(honest, shallow, strict=True)]  # fmt: skip
    liar = made("a", max(1, int(own / lie * ETHER)), int(own * DOLLAR))
    assert served([deep, *knocked, liar]) == 1.0


@given(st.floats(1_001, 10**9), st.floats(1e-9, 1e9))
def test_a_new_pool_is_ignored_when_there_is_an_older_one(dollars: float, lie: float) -> None:
    old = made("h", 10_000 * ETHER, 10_000 * DOLLAR)
    young = replace(made("a", max(1, int(dollars / lie * ETHER)), int(dollars * DOLLAR)), seasoned=False)
    assert token_metrics(COIN, [old, young], QUOTES) == replace(
        token_metrics(COIN, [old], QUOTES), transactions_24h=old.swaps + young.swaps
    )
    assert served([young]) is not None


@given(st.floats(1_001, 400_000), st.floats(0.001, 0.9))
def test_one_foreign_pool_does_not_unpeg_a_stablecoin(dollars: float, lie: float) -> None:
    """USDT has no pool against USDC but this one; what it is worth against the native coin speaks for it."""
    against_native = pool("n", USDT, 1_000_000, WETH, 500)
    stranger = pool("s", USDC, dollars, USDT, dollars / lie)
    assert USDT in usd_quotes([USDC, USDT], [WETH], [REFERENCE, against_native, stranger])


def test_a_stablecoin_off_its_peg_in_all_pools_is_not_a_dollar() -> None:
    against_native = pool("n", USDT, 1_000_000, WETH, 250)
    quotes = usd_quotes([USDC, USDT], [WETH], [REFERENCE, against_native])
    assert USDT not in quotes
    assert quotes[WETH].usd == Decimal(2_000)
