"""Prices and liquidity of concentrated pools and bonding curves, held against models that compute in decimals."""

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.chains.solana.accounts import TOKEN_PROGRAM
from indexer.chains.solana.pools import book
from tests.factories.solana_blocks import Called, Sent, raw
from tests.factories.solana_pools import (
    CLMM,
    PUMP,
    SOL,
    WHIRLPOOL,
    Clmm,
    PumpCurve,
    Whirlpool,
    anchor,
    clmm_route,
    lamports,
    names,
    number,
    sorted_mints,
    transfer,
)
from tests.fixtures.solana_pools import PoolChain
from warehouse.clickhouse import Warehouse
from warehouse.domain.amm import pool_amounts

MINTS = sorted_mints("coin", SOL)
L = 10**12
Q96 = 1 << 96


def opened(root: str = "1", reach: int = 20_000) -> tuple[PoolChain, Whirlpool]:
    """A pool with one wide position, ``reach`` ticks to either side of the price 1."""
    chain, pool = PoolChain(), Whirlpool("pool", MINTS, Decimal(root))
    chain.index(pool.create(), pool.provide("wide", L, opened=(-reach, reach)))
    return chain, pool


def assert_follows(chain: PoolChain, pool: Whirlpool) -> None:
    """The index knows the model's price, and its liquidity exactly."""
    assert abs(Decimal(chain.price()) / Q96 / pool.root - 1) < Decimal("1e-9")
    expected: dict[tuple[int, int], int] = {}
    for lower, upper, liquidity in pool.positions.values():
        expected[lower, upper] = expected.get((lower, upper), 0) + liquidity
    assert chain.positions() == [(*ticks, amount) for ticks, amount in sorted(expected.items()) if amount]


def is_lost(chain: PoolChain) -> bool:
    return chain.price() == 0


def test_a_creation_gives_the_first_price() -> None:
    chain, pool = PoolChain(), Whirlpool("pool", MINTS, Decimal("1.5"))
    rows = chain.index(pool.create())
    assert [row["protocol"] for row in rows["fact_pool"]] == [b"concentrated"]
    assert chain.price() == Q96 * 3 // 2


def test_a_swap_moves_the_price_along_the_liquidity() -> None:
    chain, pool = opened()
    rows = chain.index(pool.swap(True, 10**11), pool.swap(False, 3 * 10**11))
    assert_follows(chain, pool)
    first, second = rows["fact_swap"]
    assert first["amount1_raw"] < 0
    assert first["amount0_raw"] == 10**11
    assert second["amount0_raw"] < 0
    assert second["amount1_raw"] == 3 * 10**11
    assert {row["liquidity"] for row in rows["fact_swap"]} == {L}
    assert first["tick"] < 0 < second["tick"]


def test_a_swap_crosses_ranges_and_gaps() -> None:
    chain, pool = opened()
    chain.index(
        pool.provide("near", 5 * L, opened=(-64, 64)),
        pool.provide("above", 2 * L, opened=(640, 1280)),
        pool.swap(False, 2 * 10**11),
        pool.swap(True, 4 * 10**11),
    )
    assert_follows(chain, pool)


def test_liquidity_that_is_taken_is_gone() -> None:
    chain, pool = opened()
    chain.index(pool.provide("second", L, opened=(-640, 640)), pool.swap(True, 10**9), pool.provide("second", -L))
    assert_follows(chain, pool)
    assert chain.positions() == [(-20_000, 20_000, L)]


def test_what_a_position_holds_is_not_more_than_was_paid() -> None:
    chain, pool = opened()
    chain.index(pool.swap(True, 10**11), pool.swap(False, 10**10))
    held = pool_amounts(chain.price(), chain.positions())
    assert all(one <= amount for one, amount in zip(held, pool.vaults.amounts, strict=True))


actions = st.one_of(
    st.tuples(st.just("swap"), st.booleans(), st.integers(1, 10**12)),
    st.tuples(st.just("open"), st.integers(-300, 299), st.integers(1, 300), st.integers(1, 10**13)),
    st.tuples(st.just("close"), st.integers(0, 9), st.integers(1, 100)),
)


@settings(max_examples=30)
@given(st.lists(actions, min_size=1, max_size=14))
def test_the_index_follows_any_history(history: list[tuple[object, ...]]) -> None:
    # Fourteen of the largest swaps one way move the root of the price to 15: 54,000 ticks.
    chain, pool = opened(reach=60_032)
    for place, action in enumerate(history):
        match action:
            case ("swap", bool(a_to_b), int(amount)):
                chain.index(pool.swap(a_to_b, amount))
            case ("open", int(lower), int(width), int(liquidity)):
                ticks = lower * 64, (lower + width) * 64
                chain.index(pool.provide(f"position {place}", liquidity, opened=ticks))
            case ("close", int(which), int(percent)):
                name = list(pool.positions)[which % len(pool.positions)]
                amount = pool.positions[name][2] * percent // 100
                if amount and name != "wide":
                    chain.index(pool.provide(name, -amount))
        if is_lost(chain):
            raise AssertionError(f"lost at {place}")
    assert_follows(chain, pool)


def test_units_cut_otherwise_and_a_new_memory_give_the_same_rows(warehouse: Warehouse) -> None:
    def history() -> list[Sent]:
        pool = Whirlpool("pool", MINTS)
        curve = PumpCurve("curve coin")
        return [
            pool.create(),
            pool.provide("wide", L, opened=(-20_000, 20_000)),
            curve.create(),
            pool.swap(True, 10**11),
            curve.buy(10**12),
            pool.provide("near", L, opened=(-640, 640)),
            pool.swap(False, 10**10),
            curve.sell(10**11),
            pool.provide("near", -L // 3),
            pool.swap(True, 10**9),
            curve.buy(10**13),
        ]

    whole = PoolChain()
    sent = history()
    whole.index(*sent)
    parts = PoolChain(warehouse)
    for one in sent:
        parts.index(one)
        parts.forget()
    assert parts.rows == whole.rows
    assert len(whole.rows["fact_swap"]) == 6


def test_instructions_of_raydium_are_followed_as_those_of_orca() -> None:
    chain, pool = PoolChain(), Clmm("pool", MINTS)
    chain.index(pool.create(), pool.open_with("wide", (-20_000, 20_000), L), pool.swap(True, 10**11))
    chain.index(pool.open_with("near", (-3000, -1000), L), pool.swap(False, 10**10), pool.decrease("near", L // 3))
    chain.index(pool.swap(False, 10**10))
    assert_follows(chain, pool)


def test_liquidity_that_is_not_said_is_what_was_paid_for() -> None:
    chain, pool = PoolChain(), Clmm("pool", MINTS)
    chain.index(pool.create(), pool.open_with("wide", (-20_000, 20_000), L, said=False), pool.swap(True, 10**11))
    ((_, _, liquidity),) = chain.positions()
    assert abs(liquidity - L) < L // 10**9
    assert abs(Decimal(chain.price()) / Q96 / pool.root - 1) < Decimal("1e-9")
    chain.index(pool.decrease("wide", L), pool.open_with("wide", (-640, 640), L))
    assert chain.positions() == [(-640, 640, L)]


def test_a_route_is_a_trade_of_every_pool_on_it() -> None:
    other = ("coin", "dollar") if raw("coin") < raw("dollar") else ("dollar", "coin")
    first, second, idle = Clmm("first", MINTS), Clmm("second", other), Clmm("idle", other)
    chain = PoolChain()
    for pool in (first, second, idle):
        chain.index(pool.create(), pool.open_with(f"of {pool.name}", (-20_000, 20_000), L))
    rows = chain.index(clmm_route(10**10, (first, MINTS[1] == "coin"), (second, other[0] == "coin")))
    assert [row["pool"] for row in rows["fact_swap"]] == [raw("first"), raw("second")]
    for row, pool in zip(rows["fact_swap"], (first, second), strict=True):
        assert abs(Decimal(row["sqrt_price_x96"]) / Q96 / pool.root - 1) < Decimal("1e-9")


def test_a_pool_that_a_route_names_without_using_it_is_left_alone() -> None:
    """A program ignores accounts that it does not need, so their order is the sender's choice."""
    chain = PoolChain()
    own, victim = Clmm("own", MINTS), Clmm("victim", MINTS)
    for pool in (own, victim):
        chain.index(pool.create(), pool.open_with(f"of {pool.name}", (-20_000, 20_000), L))
    sent = clmm_route(10**10, (own, True))
    route = sent.calls[0]
    posing = [victim.name, "x", *own.vaults.accounts, victim.name, "x", *victim.vaults.accounts, victim.name]
    call = Called(route.program, [*route.accounts[:6], *posing, *route.accounts[6:], *posing], route.data, route.calls)
    rows = chain.index(Sent("griefer", [call], [*sent.held, *victim.vaults.move(0, 0)], name=next(names)))
    assert [row["pool"] for row in rows["fact_swap"]] == [raw("own")]
    assert list(rows) == ["fact_swap"]


def test_a_route_may_use_a_pool_twice() -> None:
    chain, pool = PoolChain(), Clmm("pool", MINTS)
    chain.index(pool.create(), pool.open_with("wide", (-20_000, 20_000), L))
    rows = chain.index(clmm_route(10**10, (pool, True), (pool, False)))
    assert len(rows["fact_swap"]) == 2
    assert_follows(chain, pool)


@pytest.mark.parametrize("name", ["close_position", "initialize_position_bundle", "transfer_locked_position"])
def test_accounts_that_an_instruction_does_not_need_concern_nobody(name: str) -> None:
    chain, pool = opened()
    call = Called(WHIRLPOOL, ["own", "own position", "pool"], anchor(name))
    upload = Called(WHIRLPOOL, ["buffer", "pool"], bytes.fromhex("40f4bc78a7e9690a") + bytes(9))
    assert chain.index(Sent("griefer", [call, upload])) == {}
    chain.index(pool.swap(True, 10**9))
    assert_follows(chain, pool)


def test_a_limit_order_makes_its_own_pool_unknown_and_no_other() -> None:
    chain = PoolChain()
    one, other = Clmm("one", MINTS), Clmm("other", MINTS)
    for pool in (one, other):
        chain.index(pool.create(), pool.open_with(f"of {pool.name}", (-20_000, 20_000), L))
    order = Called(
        CLMM, ["payer", "one", "tick array", "nonce", "order", "other"], anchor("open_limit_order", bytes(14))
    )
    rows = chain.index(Sent("payer", [order]))
    assert [(row["pool"], row["sqrt_price_x96"]) for row in rows["fact_pool_state"]] == [(raw("one"), 0)]


def test_without_depths_a_swap_inside_a_router_is_not_certain() -> None:
    chain, pool = opened()
    routed = Called("router", ["pool"], b"", pool.swap(True, 10**9).calls)
    answer = Sent("payer", [routed], pool.vaults.move(0, 0), name=next(names))
    chain.index(_without_depths(answer))
    assert is_lost(chain)


def _without_depths(sent: Sent) -> Sent:
    class Shallow(Sent):
        def answer(self) -> dict[str, Any]:
            told = super().answer()
            for group in told["meta"]["innerInstructions"]:
                for one in group["instructions"]:
                    one["stackHeight"] = None
            return told

    return Shallow(sent.payer, sent.calls, sent.held, name=sent.name)


def test_a_position_moves_with_its_liquidity() -> None:
    chain, pool = opened()
    chain.index(pool.provide("own", L, opened=(-640, 640)))
    before = pool.amounts(-640, 640, L, "ROUND_FLOOR")
    after = pool.amounts(640, 1280, 3 * L, "ROUND_CEILING")
    pool.positions["own"] = (640, 1280, 3 * L)
    gains = after[0] - before[0], after[1] - before[1]
    accounts = ["pool", "ta", "tb", "memo", "authority", "funder", "own", "account", *MINTS, "oa", "ob"]
    accounts += [*pool.vaults.accounts]
    data = anchor(
        "reposition_liquidity_v2", number(640, 4) + number(1280, 4) + bytes(1) + number(3 * L, 16) + bytes(32)
    )
    vaults = pool.vaults.accounts
    moves = [transfer("oa", vaults[0], gains[0]), transfer(vaults[1], "ob", -gains[1])]
    chain.index(Sent("owner", [Called(WHIRLPOOL, accounts, data, moves)], pool.vaults.move(*gains)))
    assert_follows(chain, pool)
    places = [(row["block_number"], row["log_index"]) for row in chain.rows["fact_liquidity"]]
    assert len(set(places)) == len(places)


def test_the_previous_unit_is_kept_beyond_the_memory_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(book, "_MAX_POOLS", 1)
    monkeypatch.setattr(book, "_MAX_POSITIONS", 1)
    chain = PoolChain()
    pools = [Clmm(f"pool {place}", MINTS) for place in range(3)]
    for pool in pools:
        chain.index(pool.create(), pool.open_with(f"of {pool.name}", (-20_000, 20_000), L))
    memory = chain.known.kept(book.PoolBook)
    assert set(memory.pools) == {raw("pool 1"), raw("pool 2")}
    assert set(memory.positions) == {raw("of pool 1"), raw("of pool 2")}


# Attacks on concentrated pools: what is not known gives no depth, and nobody else can take a pool's depth away.


def test_liquidity_counts_as_far_as_it_was_paid_for() -> None:
    chain, pool = opened()
    chain.index(Sent("thief", [pool.open("own", -640, 640)], pool.vaults.move(0, 0)))
    call = pool.change("own", 10**18, paid=(10, 10))
    chain.index(Sent("thief", [call], pool.vaults.move(10, 10)))
    own, wide = sorted(chain.positions(), key=lambda position: position[2])
    assert wide == (-20_000, 20_000, L)
    assert own[2] < 400
    assert max(pool_amounts(chain.price(), [own])) <= 10


def test_a_range_that_was_moved_away_is_followed() -> None:
    """A position is opened near the price, reset to a far range, and filled with one token that is worth nothing."""
    chain, pool = opened()
    reset = ["funder", "owner", "pool", "own"]
    pool.open("own", 640, 1280)
    calls = [
        Whirlpool("pool", MINTS).open("own", -64, 64),
        Called(WHIRLPOOL, reset, anchor("reset_position_range", number(640, 4) + number(1280, 4))),
        pool.change("own", L),
    ]
    chain.index(Sent("thief", calls, pool.vaults.move(*pool.moved)))
    assert_follows(chain, pool)
    assert (640, 1280, L) in chain.positions()


def test_an_undeclared_instruction_makes_the_pool_unknown() -> None:
    chain, pool = opened()
    call = Called(WHIRLPOOL, ["someone", "pool"], anchor("set_price_by_decree"))
    rows = chain.index(Sent("owner", [call]))
    assert [row["sqrt_price_x96"] for row in rows["fact_pool_state"]] == [0]
    assert "sqrt_price_x96" not in chain.index(pool.swap(True, 10**9)).get("fact_pool_state", {})
    assert is_lost(chain)


def test_trades_of_an_unknown_pool_are_still_trades() -> None:
    chain, pool = opened()
    chain.index(Sent("owner", [Called(WHIRLPOOL, ["pool"], anchor("set_price_by_decree"))]))
    rows = chain.index(pool.swap(True, 10**9))
    assert [(row["amount0_raw"], row["sqrt_price_x96"]) for row in rows["fact_swap"]] == [(10**9, 0)]
    assert list(rows) == ["fact_swap"]


@pytest.mark.parametrize("name", ["update_fees_and_rewards", "collect_fees", "lock_position"])
def test_what_everyone_may_do_to_a_pool_does_not_make_it_unknown(name: str) -> None:
    chain, pool = opened()
    accounts = ["pool", "authority", "position", "account", "oa", *pool.vaults.accounts, "pool"]
    pay = [transfer(pool.vaults.accounts[0], "oa", 7)]
    assert chain.index(Sent("stranger", [Called(WHIRLPOOL, accounts, anchor(name), pay)])) == {}
    chain.index(pool.swap(True, 10**9))
    assert_follows(chain, pool)


def test_gifts_to_the_vaults_change_nothing() -> None:
    chain, pool = opened()
    gift = [transfer("thief", vault, 10**13) for vault in pool.vaults.accounts]
    out = pool.trade(True, 10**9)
    calls = [*gift, pool.swap_call(True, 10**9, out), *gift]
    chain.index(Sent("thief", gift, pool.vaults.move(10**13, 10**13), name=next(names)))
    chain.index(Sent("thief", calls, pool.vaults.move(2 * 10**13 + 10**9, 2 * 10**13 - out), name=next(names)))
    assert_follows(chain, pool)


def test_dust_does_not_make_a_pool_unknown() -> None:
    chain, pool = opened()
    chain.index(*(pool.swap(place % 2 == 0, amount) for place, amount in enumerate((1, 1, 2, 3, 5, 1, 1))))
    assert not is_lost(chain)
    assert len(chain.rows["fact_swap"]) == 7


def test_a_trade_and_its_reverse_in_one_transaction_leave_the_price() -> None:
    chain, pool = opened()
    before = chain.price()
    pool.fee = Decimal("0.0001")
    out = pool.trade(True, 5 * 10**11)
    there = pool.swap_call(True, 5 * 10**11, out)
    given = int(Decimal(out) / (1 - pool.fee))
    back = pool.trade(False, given)
    rows = chain.index(
        Sent("thief", [there, pool.swap_call(False, given, back)], pool.vaults.move(5 * 10**11 - back, given - out))
    )
    assert len(rows["fact_swap"]) == 2
    assert abs(chain.price() - before) < before // 10**6
    assert_follows(chain, pool)


def test_a_price_that_no_payment_explains_is_unknown() -> None:
    chain, pool = opened()
    cheap = pool.swap_call(True, 10**6, 10**9)
    chain.index(Sent("insider", [cheap], pool.vaults.move(10**6, -(10**9))))
    assert is_lost(chain)


def test_a_position_that_is_not_known_does_not_count() -> None:
    chain, pool = opened()
    pool.open("unseen", -64, 64)
    chain.index(Sent("owner", [pool.change("unseen", L)], pool.vaults.move(*pool.moved)))
    assert chain.positions() == [(-20_000, 20_000, L)]
    chain.index(Sent("owner", [pool.change("unseen", -L)], pool.vaults.move(*pool.moved)))
    assert chain.positions() == [(-20_000, 20_000, L)]


def test_a_payout_to_the_vault_itself_is_a_payout() -> None:
    """Whoever trades chooses the account that receives. The price moves although the balance does not."""
    chain, pool = opened()
    out = pool.trade(True, 10**9)
    call = pool.swap_call(True, 10**9, out)
    vault = pool.vaults.accounts[1]
    pay_itself = Called(call.program, call.accounts, call.data, [call.calls[0], transfer(vault, vault, out)])
    chain.index(Sent("griefer", [pay_itself], pool.vaults.move(10**9, 0)))
    assert_follows(chain, pool)


def test_a_route_that_ends_in_a_vault_it_began_with_is_no_contradiction() -> None:
    chain = PoolChain()
    first, second, third = (Clmm(name, MINTS) for name in ("first", "second", "third"))
    for pool in (first, second, third):
        chain.index(pool.create(), pool.open_with(f"of {pool.name}", (-20_000, 20_000), L))
    sent = clmm_route(10**9, (first, True), (second, False), (third, True))
    route = sent.calls[0]
    last, back = route.calls[-1], first.vaults.accounts[1]
    given = int.from_bytes(last.data[1:9], "little")
    moves = [*route.calls[:-1], transfer(third.vaults.accounts[1], back, given)]
    call = Called(route.program, route.accounts, route.data, moves)
    rows = chain.index(Sent("griefer", [call], sent.held, name=next(names)))
    assert len(rows["fact_swap"]) == 3
    for row, pool in zip(rows["fact_swap"], (first, second, third), strict=True):
        assert abs(Decimal(row["sqrt_price_x96"]) / Q96 / pool.root - 1) < Decimal("1e-9")


def test_a_payout_of_one_pool_to_the_vault_of_the_next_is_no_contradiction() -> None:
    chain = PoolChain()
    first, second = Whirlpool("first", MINTS), Whirlpool("second", MINTS)
    for pool in (first, second):
        chain.index(pool.create(), pool.provide(f"of {pool.name}", L, opened=(-20_000, 20_000)))
    out = first.trade(True, 10**9)
    given = 10**8
    back = second.trade(False, given)
    (a1, b1), (a2, b2) = first.vaults.accounts, second.vaults.accounts
    accounts = [TOKEN_PROGRAM, "griefer", "first", "second", "own a", a1, b2, b1, "own b", a2, "own a", b2]
    moves = [
        transfer("own a", a1, 10**9),
        transfer(b1, b2, out),
        transfer("own b", b2, given),
        transfer(a2, "own a", back),
    ]
    call = Called(WHIRLPOOL, accounts, anchor("two_hop_swap", bytes(51)), moves)
    held = [*first.vaults.move(10**9, -out), *second.vaults.move(-back, given + out)]
    rows = chain.index(Sent("griefer", [call], held, name=next(names)))
    for row, pool in zip(rows["fact_swap"], (first, second), strict=True):
        assert abs(Decimal(row["sqrt_price_x96"]) / Q96 / pool.root - 1) < Decimal("1e-9")


def test_a_far_range_on_one_side_gives_no_depth() -> None:
    chain, pool = opened()
    wide = pool_amounts(chain.price(), chain.positions())
    chain.index(pool.provide("far", 10**17, opened=(10_048, 20_032)))
    assert_follows(chain, pool)
    held = pool_amounts(chain.price(), chain.positions())
    assert held[0] > 10**4 * wide[0]
    assert held[1] == wide[1]


# Bonding curves.


def curve_started() -> tuple[PoolChain, PumpCurve]:
    chain, curve = PoolChain(), PumpCurve("coin")
    chain.index(curve.create())
    return chain, curve


def curve_amounts(chain: PoolChain, curve: PumpCurve) -> tuple[int, int]:
    """Tokens for sale and lamports that the curve holds, as the pipelines see it."""
    amounts = pool_amounts(chain.price(), chain.positions())
    return amounts if raw(curve.mint) < raw(SOL) else (amounts[1], amounts[0])


def curve_price(chain: PoolChain, curve: PumpCurve) -> Decimal:
    """Lamports for a base unit of the token."""
    price = Decimal(chain.price()) ** 2 / Q96**2
    return price if raw(curve.mint) < raw(SOL) else 1 / price


@settings(max_examples=25)
@given(
    st.sampled_from(["coin", "another coin", "third"]),
    st.lists(st.tuples(st.booleans(), st.integers(1, 2 * 10**14)), max_size=12),
)
def test_a_curve_follows_its_virtual_reserves_and_holds_what_was_paid(
    mint: str, trades: list[tuple[bool, int]]
) -> None:
    chain, curve = PoolChain(), PumpCurve(mint)
    chain.index(curve.create())
    for buys, tokens in trades:
        sold = 1_073_000_000_000_000 - curve.virtual_tokens
        if buys and tokens <= 793_100_000_000_000 - sold:
            chain.index(curve.buy(tokens))
        elif not buys and sold:
            chain.index(curve.sell(min(tokens, sold)))
    assert abs(curve_price(chain, curve) * curve.virtual_tokens / curve.virtual_quote - 1) < Decimal("1e-7")
    tokens, quote = curve_amounts(chain, curve)
    assert quote <= curve.real_quote <= quote + 3_000_000  # a tick of the virtual reserve
    assert tokens <= curve.virtual_tokens - (1_073_000_000_000_000 - 793_100_000_000_000)
    assert len(chain.positions()) == 1


def test_a_new_curve_has_no_depth() -> None:
    chain, curve = curve_started()
    assert curve_amounts(chain, curve)[1] == 0


def test_a_sale_of_a_curve_is_what_the_curve_says() -> None:
    chain, curve = curve_started()
    chain.index(curve.buy(10**14))
    before = curve.real_quote
    row = chain.index(curve.sell(10**13))["fact_swap"][0]
    assert sorted((row["amount0_raw"], row["amount1_raw"])) == [curve.real_quote - before, 10**13]


def test_gifts_to_a_curve_change_nothing() -> None:
    chain, curve = curve_started()
    gifts = [
        lamports("thief", curve.account, 10**12),
        transfer("thief account", f"{curve.account} vault", 10**14),
    ]
    chain.index(curve.buy(10**13, calls=gifts), Sent("thief", gifts))
    chain.index(curve.buy(10**12))
    assert abs(curve_price(chain, curve) * curve.virtual_tokens / curve.virtual_quote - 1) < Decimal("1e-7")
    assert curve_amounts(chain, curve)[1] <= curve.real_quote


def test_a_curve_that_sells_for_another_price_is_not_this_curve() -> None:
    chain, curve = curve_started()
    chain.index(curve.buy(10**13, cost=1_000))
    assert is_lost(chain)
    assert len(chain.rows["fact_swap"]) == 1


def test_a_curve_that_sells_more_than_it_has_is_not_this_curve() -> None:
    chain, curve = curve_started()
    chain.index(curve.buy(793_100_000_000_001))
    assert is_lost(chain)


def test_a_curve_that_moves_to_a_pool_has_no_price_any_more() -> None:
    chain, curve = curve_started()
    chain.index(curve.buy(10**13))
    accounts = ["global", "withdraw authority", curve.mint, curve.account, f"{curve.account} vault"]
    chain.index(Sent("anyone", [Called(PUMP, accounts, anchor("migrate"))]))
    assert is_lost(chain)
