"""Prices, and what it takes to move them."""

from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from pipelines.medians import weighted_median
from pipelines.pricing import Pool, Quote, TokenMetrics, token_metrics, usd_quotes
from pipelines.ranking import market_score
from tests.factories.amounts import ETHER
from tests.factories.pools import COIN, REFERENCE, USDC, USDT, WETH, ZERO, pool

QUOTES = usd_quotes([USDC, USDT], [WETH, ZERO], [REFERENCE])


def price(*pools: Pool, quotes: dict[str, Quote] | None = None) -> Decimal | None:
    return token_metrics(COIN, pools, quotes or QUOTES).price_usd


def test_without_data_there_is_no_price() -> None:
    assert token_metrics(COIN, [], {}) == TokenMetrics()
    assert usd_quotes([], [WETH], []) == {}


def test_the_native_coin_is_priced_in_stablecoins() -> None:
    assert QUOTES[WETH].usd == 2_000
    assert QUOTES[ZERO].usd == 2_000
    assert QUOTES[USDC].usd == 1


def test_a_token_is_priced_through_the_native_coin() -> None:
    metrics = token_metrics(COIN, [pool("a", COIN, 1_000_000, WETH, 10)], QUOTES)
    assert metrics.price_usd == Decimal("0.02")
    assert metrics.liquidity_usd == 40_000
    assert metrics.price_change_24h == 0
    assert metrics.source == "uniswap: 1 pool"
    assert metrics.confidence is not None
    assert 0 < metrics.confidence < 1


def test_a_pool_without_depth_sets_no_price() -> None:
    metrics = token_metrics(COIN, [pool("a", COIN, 0.000001, WETH, 0.4)], QUOTES)
    assert metrics.price_usd is None
    assert metrics.confidence is None


def test_one_sided_liquidity_is_not_depth() -> None:
    lopsided = pool("a", COIN, 10**9, WETH, 0.1, state=(10**9 * ETHER, 10**9 * ETHER, 0))
    metrics = token_metrics(COIN, [lopsided], QUOTES)
    assert metrics.price_usd is None
    assert metrics.liquidity_usd == 200


def test_a_false_price_in_a_shallow_pool_does_not_outweigh_a_deep_pool() -> None:
    honest = pool("a", COIN, 1_000_000, WETH, 10)
    liar = pool("b", COIN, 20_000, WETH, 8)
    assert price(honest, liar) == price(honest)
    assert token_metrics(COIN, [honest, liar], QUOTES).pools == 1


def test_a_fake_stablecoin_prices_nothing() -> None:
    assert price(pool("a", COIN, 1, "fa", 10**9)) is None


def test_a_stablecoin_off_its_peg_is_not_priced_at_a_dollar() -> None:
    broken = pool("b", USDC, 1_000_000, USDT, 1_500_000)
    quotes = usd_quotes([USDC, USDT], [WETH], [REFERENCE, broken])
    assert USDT not in quotes
    assert quotes[USDC].usd == 1
    assert price(pool("c", USDT, 1_000_000, COIN, 10), quotes=quotes) is None


def test_an_unknown_earlier_price_gives_no_price_change() -> None:
    young = pool("a", COIN, 1_000_000, WETH, 10, past={1: (500_000 * ETHER, 10 * ETHER, 0)})
    metrics = token_metrics(COIN, [young], QUOTES)
    assert metrics.price_change_1h == -50
    assert metrics.price_change_6h is None
    assert metrics.price_change_24h is None


def test_volume_is_counted_on_the_quote_side() -> None:
    traded = pool("a", COIN, 1_000_000, WETH, 10, volume0_raw=10**30, volume1_raw=3 * ETHER, swaps=7)
    metrics = token_metrics(COIN, [traded], QUOTES)
    assert metrics.volume_24h_usd == 6_000
    assert metrics.transactions_24h == 7


readings = st.tuples(st.decimals(1, 10**6, places=3), st.decimals("0.001", 10**6, places=3))


@given(st.lists(readings, min_size=1, max_size=10), st.lists(readings, max_size=10))
def test_less_than_half_of_the_weight_cannot_move_the_price_out_of_the_honest_range(
    honest: list[tuple[Decimal, Decimal]], lies: list[tuple[Decimal, Decimal]]
) -> None:
    if sum(weight for _, weight in lies) < sum(weight for _, weight in honest):
        found = weighted_median([*honest, *lies])
        values = [value for value, _ in honest]
        assert found is not None
        assert min(values) <= found <= max(values)


@given(st.decimals("0.000001", 10**6, places=6), st.decimals(0, 499, places=2))
def test_pools_below_the_minimum_depth_are_ignored(units: Decimal, ether: Decimal) -> None:
    honest = pool("a", COIN, 1_000_000, WETH, 10)
    liar = pool("b", COIN, float(units), WETH, float(ether / 1000))
    assert price(honest, liar) == price(honest)


def test_wash_volume_and_inflated_supply_hardly_raise_the_score() -> None:
    honest = market_score(Decimal(10**7), Decimal(10**5), Decimal(10**6))
    wash = market_score(Decimal(10**7), Decimal(10**12), Decimal(10**6))
    assert wash <= honest + Decimal("0.09")
    thin = market_score(Decimal(10**15), Decimal(10**12), Decimal(10**3))
    assert thin <= Decimal("0.32")
    assert market_score(Decimal(10**15), Decimal(10**12), None) == 0


def test_the_score_weighs_its_parts_40_30_30() -> None:
    assert market_score(Decimal("1e11"), Decimal("1e9"), Decimal("1e8")) == 1
    assert market_score(Decimal("1e4"), Decimal("1e9"), Decimal("1e8")) == Decimal("0.6")
    assert market_score(None, None, Decimal("1e8")) == Decimal("0.3")
    assert market_score(None, None, None) == 0
