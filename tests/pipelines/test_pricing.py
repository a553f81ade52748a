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


def test_nothing_known_is_nothing_said() -> None:
    assert token_metrics(COIN, [], {}) == TokenMetrics()
    assert usd_quotes([], [WETH], []) == {}


def test_the_native_coin_is_priced_in_stablecoins() -> None:
    assert QUOTES[WETH].usd == 2_000
    assert QUOTES[ZERO].usd == 2_000
    assert QUOTES[USDC].usd == 1


def test_a_token_is_priced_through_the_native_coin() -> None:
    figures = token_metrics(COIN, [pool("a", COIN, 1_000_000, WETH, 10)], QUOTES)
    assert figures.price_usd == Decimal("0.02")
    assert figures.liquidity_usd == 40_000
    assert figures.price_change_24h == 0
    assert figures.source == "uniswap: 1 pool"
    assert figures.confidence is not None
    assert 0 < figures.confidence < 1


def test_a_pool_without_depth_sets_no_price_whatever_it_says() -> None:
    figures = token_metrics(COIN, [pool("a", COIN, 0.000001, WETH, 0.4)], QUOTES)
    assert figures.price_usd is None
    assert figures.confidence is None


def test_liquidity_on_one_side_alone_is_no_depth() -> None:
    lopsided = pool("a", COIN, 10**9, WETH, 0.1, state=(10**9 * ETHER, 10**9 * ETHER, 0))
    figures = token_metrics(COIN, [lopsided], QUOTES)
    assert figures.price_usd is None
    assert figures.liquidity_usd == 200


def test_a_shallow_liar_does_not_move_the_deep_pool() -> None:
    honest = pool("a", COIN, 1_000_000, WETH, 10)
    liar = pool("b", COIN, 20_000, WETH, 8)
    assert price(honest, liar) == price(honest)
    assert token_metrics(COIN, [honest, liar], QUOTES).pools == 1


def test_a_fake_stablecoin_is_no_quote() -> None:
    assert price(pool("a", COIN, 1, "fa", 10**9)) is None


def test_a_stablecoin_out_of_its_band_is_no_dollar() -> None:
    broken = pool("b", USDC, 1_000_000, USDT, 1_500_000)
    quotes = usd_quotes([USDC, USDT], [WETH], [REFERENCE, broken])
    assert USDT not in quotes
    assert quotes[USDC].usd == 1
    assert price(pool("c", USDT, 1_000_000, COIN, 10), quotes=quotes) is None


def test_what_was_unknown_then_has_no_change() -> None:
    young = pool("a", COIN, 1_000_000, WETH, 10, past={1: (500_000 * ETHER, 10 * ETHER, 0)})
    figures = token_metrics(COIN, [young], QUOTES)
    assert figures.price_change_1h == -50
    assert figures.price_change_6h is None
    assert figures.price_change_24h is None


def test_volume_is_the_quote_side() -> None:
    traded = pool("a", COIN, 1_000_000, WETH, 10, volume0_raw=10**30, volume1_raw=3 * ETHER, swaps=7)
    figures = token_metrics(COIN, [traded], QUOTES)
    assert figures.volume_24h_usd == 6_000
    assert figures.transactions_24h == 7


readings = st.tuples(st.decimals(1, 10**6, places=3), st.decimals("0.001", 10**6, places=3))


@given(st.lists(readings, min_size=1, max_size=10), st.lists(readings, max_size=10))
def test_less_than_half_of_the_weight_cannot_leave_the_honest_range(
    honest: list[tuple[Decimal, Decimal]], lies: list[tuple[Decimal, Decimal]]
) -> None:
    if sum(weight for _, weight in lies) < sum(weight for _, weight in honest):
        found = weighted_median([*honest, *lies])
        values = [value for value, _ in honest]
        assert found is not None
        assert min(values) <= found <= max(values)


@given(st.decimals("0.000001", 10**6, places=6), st.decimals(0, 499, places=2))
def test_pools_below_the_depth_never_matter(units: Decimal, ether: Decimal) -> None:
    honest = pool("a", COIN, 1_000_000, WETH, 10)
    liar = pool("b", COIN, float(units), WETH, float(ether / 1000))
    assert price(honest, liar) == price(honest)


def test_self_made_volume_and_supply_hardly_count_for_the_score() -> None:
    honest = market_score(Decimal(10**7), Decimal(10**5), Decimal(10**6))
    wash = market_score(Decimal(10**7), Decimal(10**12), Decimal(10**6))
    assert wash <= honest + Decimal("0.09")
    thin = market_score(Decimal(10**15), Decimal(10**12), Decimal(10**3))
    assert thin <= Decimal("0.32")
    assert market_score(Decimal(10**15), Decimal(10**12), None) == 0


def test_the_score_is_forty_thirty_thirty() -> None:
    assert market_score(Decimal("1e11"), Decimal("1e9"), Decimal("1e8")) == 1
    assert market_score(Decimal("1e4"), Decimal("1e9"), Decimal("1e8")) == Decimal("0.6")
    assert market_score(None, None, Decimal("1e8")) == Decimal("0.3")
    assert market_score(None, None, None) == 0
