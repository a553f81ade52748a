from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.devchain.world import World
from indexer.run import advance
from tests.fixtures.indexing import indexing
from warehouse.clickhouse import Warehouse
from warehouse.domain.amm import (
    MAX_TICK,
    MIN_TICK,
    pool_amounts,
    range_amounts,
    raw_price,
    sqrt_ratio_at_tick,
    tick_at_sqrt_ratio,
)
from warehouse.domain.chains import Chain

Q96 = 1 << 96

ticks = st.integers(MIN_TICK, MAX_TICK)
liquidities = st.integers(1, 2**128 - 1)


@pytest.mark.parametrize(
    ("tick", "ratio"),
    [
        (MIN_TICK, 4295128739),
        (MIN_TICK + 1, 4295343490),
        (0, Q96),
        (MAX_TICK - 1, 1461373636630004318706518188784493106690254656249),
        (MAX_TICK, 1461446703485210103287273052203988822378723970342),
    ],
)
def test_ratios_are_those_of_the_contract(tick: int, ratio: int) -> None:
    assert sqrt_ratio_at_tick(tick) == ratio


@pytest.mark.parametrize("tick", [MIN_TICK - 1, MAX_TICK + 1])
def test_ticks_beyond_the_protocol_are_refused(tick: int) -> None:
    with pytest.raises(ValueError, match="outside"):
        sqrt_ratio_at_tick(tick)


@given(ticks, st.integers(-1, 1))
def test_the_tick_of_a_ratio_is_the_highest_one_not_above_it(tick: int, beside: int) -> None:
    ratio = sqrt_ratio_at_tick(tick) + beside
    found = tick_at_sqrt_ratio(ratio)
    assert found == max(tick - 1 if beside < 0 else tick, MIN_TICK)
    assert sqrt_ratio_at_tick(found) <= max(ratio, sqrt_ratio_at_tick(MIN_TICK))


@given(ticks.filter(lambda tick: tick < MAX_TICK))
def test_ratios_grow_by_half_a_basis_point(tick: int) -> None:
    low, high = sqrt_ratio_at_tick(tick), sqrt_ratio_at_tick(tick + 1)
    assert low < high
    assert abs(Decimal(high) / Decimal(low) - Decimal("1.00005")) < Decimal("0.00000001") + Decimal(2) / Decimal(low)


@given(ticks, ticks, liquidities, st.integers(4295128739, 1461446703485210103287273052203988822378723970341))
def test_below_the_range_all_is_token0_and_above_all_is_token1(
    one: int, other: int, liquidity: int, price: int
) -> None:
    lower, upper = sorted((one, other))
    amount0, amount1 = range_amounts(price, lower, upper, liquidity)
    assert amount0 >= 0
    assert amount1 >= 0
    if price <= sqrt_ratio_at_tick(lower):
        assert amount1 == 0
    if price >= sqrt_ratio_at_tick(upper):
        assert amount0 == 0


@given(ticks, ticks, ticks, liquidities, st.integers(4295128739, 2**150))
def test_a_range_holds_what_its_parts_hold(one: int, two: int, three: int, liquidity: int, price: int) -> None:
    lower, middle, upper = sorted((one, two, three))
    whole = range_amounts(price, lower, upper, liquidity)
    parts = [range_amounts(price, lower, middle, liquidity), range_amounts(price, middle, upper, liquidity)]
    for at in (0, 1):
        together = parts[0][at] + parts[1][at]
        assert abs(together - whole[at]) <= 2 + whole[at] // 2**60 + (liquidity >> 32)


def test_impossible_positions_hold_nothing() -> None:
    assert pool_amounts(Q96, [(10, 10, 5), (20, 10, 5), (0, 10, -5), (MIN_TICK - 1, 0, 5), (0, MAX_TICK + 1, 5)]) == (
        0,
        0,
    )
    assert pool_amounts(0, [(0, 10, 10**18)]) == (0, 0)


@given(st.integers(1, 2**112), st.integers(1, 2**112))
def test_prices_of_reserves_and_of_ratios_agree(reserve0: int, reserve1: int) -> None:
    by_reserves = raw_price(reserve0, reserve1, 0)
    assert by_reserves is not None
    ratio = int((by_reserves * (Q96 * Q96)).sqrt())
    if ratio > 2**64:
        by_ratio = raw_price(0, 0, ratio)
        assert by_ratio is not None
        assert abs(by_ratio / by_reserves - 1) < Decimal("1e-15")


def test_a_pool_without_state_has_no_price() -> None:
    assert raw_price(0, 0, 0) is None
    assert raw_price(5, 0, 0) is None


def test_pools_hold_the_amounts_of_their_positions(
    archive_world: World, archive_chain: Chain, warehouse: Warehouse, store_url: str
) -> None:
    """Against a genuine Uniswap V3: what the formulas give is in the pool, and little besides (fees not collected)."""
    with indexing(warehouse, store_url) as context:
        advance(context, archive_chain)
    pools = warehouse.rows(
        "SELECT lower(hex(pool)) AS pool_hex, lower(hex(token0)) AS zero, lower(hex(token1)) AS one"
        " FROM fact_pool WHERE protocol = 'uniswap_v3'"
    )
    assert pools
    for pool in pools:
        positions = [
            (row["tick_lower"], row["tick_upper"], row["liquidity"])
            for row in warehouse.rows(
                "SELECT tick_lower, tick_upper, sum(liquidity_delta) AS liquidity FROM fact_liquidity"
                " WHERE pool = unhex({pool:String}) GROUP BY ALL",
                {"pool": pool["pool_hex"]},
            )
        ]
        slot = archive_world.anvil.rpc("eth_call", {"to": f"0x{pool['pool_hex']}", "data": "0x3850c7bd"}, "latest")
        amounts = pool_amounts(int(slot[2:66], 16), positions)
        for token, amount in zip((pool["zero"], pool["one"]), amounts, strict=True):
            data = f"0x70a08231{pool['pool_hex']:0>64}"
            held = int(archive_world.anvil.rpc("eth_call", {"to": f"0x{token}", "data": data}, "latest"), 16)
            assert amount <= held
            assert held - amount <= held // 20 + len(positions)
