"""Prices of Solana's tokens from transactions, by the rules of every chain, and what tries to move them."""

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from indexer.devchain.solana.world import World
from indexer.run import advance
from pipelines.refresh import refresh
from tests.factories.solana_blocks import Called, Sent
from tests.factories.solana_market import (
    CHAINS_TOML,
    COIN,
    DOLLAR,
    LAMPORTS,
    SolanaLedger,
    build_solana_market,
    in_order,
    root_of,
)
from tests.factories.solana_pools import SOL, USDC, WHIRLPOOL, Cpmm, PumpCurve, Whirlpool, anchor, names, sorted_mints
from tests.fixtures.derived import served
from tests.fixtures.indexing import indexing
from warehouse.chains import facts
from warehouse.clickhouse import Warehouse
from warehouse.domain.chains import Chains
from warehouse.postgres import Connection

pytestmark = pytest.mark.slow  # every test derives a chain


@pytest.fixture
def solana(tmp_path: Path) -> Chains:
    """The built-in chains, with a node for Solana."""
    path = tmp_path / "chains.toml"
    path.write_text(CHAINS_TOML)
    return facts.load(path)


class Market:
    """The market of the test, derived when asked."""

    def __init__(self, warehouse: Warehouse, store: Connection, chains: Chains) -> None:
        self.warehouse, self.store, self.chains = warehouse, store, chains
        self.ledger = SolanaLedger(warehouse, store)
        self.pool = build_solana_market(self.ledger)

    def of(self, symbol: str) -> dict[str, Any]:
        """A token's served row."""
        refresh(self.warehouse, self.store, self.chains)
        return served(self.warehouse)[symbol]

    def price(self, symbol: str = "COIN") -> Decimal | None:
        found: Decimal | None = self.of(symbol)["price_usd"]
        return found

    def sell_coins(self, coins: int) -> Sent:
        """A swap along the product of the reserves."""
        side = self.pool.mints.index("coin")
        held, paying = self.pool.vaults.amounts[side], self.pool.vaults.amounts[1 - side]
        return self.pool.swap(side, coins, paying * coins // (held + coins))


@pytest.fixture
def market(warehouse: Warehouse, store: Connection, solana: Chains) -> Market:
    return Market(warehouse, store, solana)


def near(found: Decimal | None, expected: float, part: str = "0.0001") -> bool:
    return found is not None and abs(found / Decimal(expected) - 1) < Decimal(part)


def concentrated(name: str, mint: str, price: str) -> Whirlpool:
    """A pool of a mint with 6 decimals and SOL; ``price`` is SOL for a whole token."""
    mints = sorted_mints(mint, SOL)
    return Whirlpool(name, mints, root_of(mints, mint, Decimal(price) * LAMPORTS / COIN))


def around(pool: Whirlpool, width: int) -> tuple[int, int]:
    """A range of ticks on both sides of the price."""
    middle = int((pool.root.ln() * 2 / Decimal("1.0001").ln()) // 64) * 64
    return middle - width, middle + width


def test_sol_is_priced_in_dollars_and_a_token_in_sol(market: Market) -> None:
    assert near(market.price("SOL"), 150)
    row = market.of("COIN")
    assert near(row["price_usd"], 0.3)
    assert near(row["market_cap_usd"], 300_000)
    assert near(row["liquidity_usd"], 30_000)
    assert row["chain_id"] == 900_900


def test_a_swap_counts_as_volume(market: Market) -> None:
    market.ledger.run(market.sell_coins(1_000 * COIN))
    market.ledger.pass_time(2)
    row = market.of("COIN")
    assert row["transactions_24h"] == 1
    assert near(row["volume_24h_usd"], 150 * 100 / 51)


def test_a_concentrated_pool_prices_a_token(market: Market) -> None:
    market.ledger.mint("other", "OTHER", supply=10**12)
    pool = concentrated("whirlpool", "other", "0.004")
    market.ledger.run(pool.create(), pool.provide("position", 10**13, opened=around(pool, 6400)))
    market.ledger.pass_time(1_000)
    row = market.of("OTHER")
    assert near(row["price_usd"], 0.6)
    assert row["liquidity_usd"] > 1_000
    a_is_coin = pool.mints[0] == "other"
    market.ledger.run(pool.swap(a_is_coin, 5_000 * COIN))
    market.ledger.pass_time(1_000)
    expected = pool.root**2 if a_is_coin else 1 / pool.root**2
    found = market.price("OTHER")
    assert near(found, float(expected * COIN / LAMPORTS * 150))
    assert found is not None
    assert found < Decimal("0.6")


def test_a_bonding_curve_prices_a_token_by_what_was_paid(market: Market) -> None:
    market.ledger.mint("curve coin", "CURVE", supply=10**15)
    curve = PumpCurve("curve coin")
    market.ledger.run(curve.create())
    market.ledger.pass_time(1_000)
    assert market.price("CURVE") is None
    market.ledger.run(curve.buy(400_000_000 * COIN))
    market.ledger.pass_time(1_000)
    row = market.of("CURVE")
    assert near(row["price_usd"], curve.virtual_quote / curve.virtual_tokens * COIN / LAMPORTS * 150)
    # Both sides at most: the coin's side counts up to what lies in SOL.
    assert near(row["liquidity_usd"], 2 * curve.real_quote / LAMPORTS * 150, "0.001")


def test_a_dump_that_is_bought_back_within_minutes_moves_nothing(market: Market) -> None:
    market.ledger.run(market.sell_coins(10_000_000 * COIN))
    market.ledger.pass_time(2)
    assert near(market.price(), 0.3)
    side = market.pool.mints.index(SOL)
    coins = market.pool.vaults.amounts[1 - side] - 50_000 * COIN
    market.ledger.run(market.pool.swap(side, 100 * LAMPORTS - market.pool.vaults.amounts[side], coins), seconds=200)
    market.ledger.pass_time(300)
    assert near(market.price(), 0.3)


def test_liquidity_that_comes_and_goes_within_minutes_counts_for_nothing(market: Market) -> None:
    before = market.of("COIN")["liquidity_usd"]
    pool = market.pool
    ledger = market.ledger
    ledger.run(pool.deposit(*in_order(pool, "coin", 10**6 * COIN, 2_000 * LAMPORTS)))
    ledger.run(pool.withdraw(*in_order(pool, "coin", 10**6 * COIN, 2_000 * LAMPORTS)), seconds=250)
    ledger.pass_time(2)
    assert market.of("COIN")["liquidity_usd"] == before


def test_gifts_far_ranges_fake_programs_and_fake_dollars_price_nothing(market: Market) -> None:
    """All at once: SOL given to a vault, a billion tokens offered at thirty times the price, and nothing for them, a
    pool of the thief's own program, and a genuine pool against a token that calls itself USDC."""
    ledger = market.ledger
    ledger.run(market.pool.donate(*in_order(market.pool, "coin", 0, 10_000 * LAMPORTS)))
    trap = concentrated("trap", "coin", "0.06")
    middle = around(trap, 0)[0]
    ticks = (middle + 6400, middle + 12800) if trap.mints[0] == "coin" else (middle - 12800, middle - 6400)
    ledger.run(trap.create(), trap.provide("offer", 10**15, opened=ticks))
    copy = Cpmm("copy", sorted_mints("coin", SOL))
    sent = copy.create(*in_order(copy, "coin", COIN, 10**6 * LAMPORTS))
    call = sent.calls[0]
    ledger.run(Sent("thief", [Called("fake amm", call.accounts, call.data, call.calls)], sent.held))
    ledger.mint("fake dollar", "USDC", supply=10**18)
    fake = Cpmm("fake pool", sorted_mints("coin", "fake dollar"))
    ledger.run(fake.create(*in_order(fake, "coin", COIN, 10**9 * DOLLAR)))
    ledger.pass_time(3_600)
    row = market.of("COIN")
    assert near(row["price_usd"], 0.3)
    assert near(row["liquidity_usd"], 30_000)
    assert near(row["market_cap_usd"], 300_000)


def test_a_new_pool_does_not_move_an_older_one(market: Market) -> None:
    young = Cpmm("young pool", sorted_mints("coin", USDC))
    market.ledger.run(young.create(*in_order(young, "coin", 100_000 * COIN, 10**7 * DOLLAR)))
    market.ledger.pass_time(200)
    assert near(market.price(), 0.3)


def test_wash_trades_of_one_transaction_leave_price_and_liquidity(market: Market) -> None:
    pool = market.pool
    side = pool.mints.index("coin")
    calls = []
    for _ in range(20):
        calls += [
            pool.swap_call(side, 50_000 * COIN, 50 * LAMPORTS),
            pool.swap_call(1 - side, 50 * LAMPORTS, 50_000 * COIN),
        ]
    before = market.of("COIN")
    market.ledger.run(Sent("washer", calls, pool.vaults.move(0, 0), name=next(names)))
    market.ledger.pass_time(2)
    after = market.of("COIN")
    assert after["transactions_24h"] == 40
    assert {name: after[name] for name in ("price_usd", "liquidity_usd", "market_cap_usd")} == {
        name: before[name] for name in ("price_usd", "liquidity_usd", "market_cap_usd")
    }
    # 300,000 dollars were traded; ten times the liquidity count.
    bound = before["market_score"] + Decimal("0.3") * (Decimal(10) * before["liquidity_usd"] / 100).log10() / 7
    assert after["market_score"] <= bound


def test_a_pool_whose_price_became_unknown_has_no_depth(market: Market) -> None:
    market.ledger.mint("other", "OTHER", supply=10**12)
    pool = concentrated("whirlpool", "other", "0.004")
    market.ledger.run(pool.create(), pool.provide("position", 10**13, opened=around(pool, 6400)))
    market.ledger.pass_time(1_000)
    assert near(market.price("OTHER"), 0.6)
    market.ledger.run(Sent("insider", [Called(WHIRLPOOL, ["whirlpool"], anchor("set_price_by_decree"))]))
    market.ledger.pass_time(1_000)
    row = market.of("OTHER")
    assert row["price_usd"] is None
    assert row["market_cap_usd"] is None
    assert not row["liquidity_usd"]


def test_hours_weigh_pools_of_every_kind(market: Market, warehouse: Warehouse) -> None:
    ledger = market.ledger
    ledger.mint("other", "OTHER", supply=10**12)
    ledger.mint("curve coin", "CURVE", supply=10**15)
    pool, curve = concentrated("whirlpool", "other", "0.004"), PumpCurve("curve coin")
    ledger.run(
        pool.create(),
        pool.provide("position", 10**13, opened=around(pool, 6400)),
        curve.create(),
        curve.buy(400_000_000 * COIN),
    )
    ledger.pass_time(3 * 3_600)
    market.of("OTHER")
    rows = warehouse.rows(
        """SELECT symbol, argMax(weight.weight_usd, weight.hour) AS weight_usd
           FROM agg_token_weight AS weight FINAL INNER JOIN agg_token AS token FINAL ON token.token = weight.token
           WHERE weight.deleted = 0 GROUP BY symbol"""
    )
    found = {row["symbol"]: row["weight_usd"] for row in rows}
    assert near(found["COIN"], 14_000)
    assert near(found["CURVE"], curve.real_quote / LAMPORTS * 150 - 1_000, "0.001")
    assert found["OTHER"] > 1_000


def test_pools_of_a_real_node_have_the_reserves_of_their_vaults_and_the_prices_of_their_plans(
    solana_world: World, warehouse: Warehouse, store: Connection, store_url: str, tmp_path: Path
) -> None:
    path = tmp_path / "chains.toml"
    path.write_text(solana_world.chain_toml())
    chains = facts.load(path)
    with indexing(warehouse, store_url) as context:
        advance(context, chains.by_key["solana"])
    refresh(warehouse, store, chains)
    tokens = [token for token in solana_world.tokens if token.market and token.plan.symbol]
    rows = served(warehouse, "token")
    assert len(tokens) >= 3
    assert sum(rows[bytes(token.mint).hex()]["transactions_24h"] for token in tokens) > 10
    for token in tokens:
        assert token.market is not None
        row = rows[bytes(token.mint).hex()]
        assert near(row["price_usd"], token.plan.price_micro_usd / 10**6, "0.6"), token.plan.symbol
        sides = sorted((bytes(side.mint), side) for side in (token.market.base, token.market.quote))
        held = [int(_balance(solana_world, str(side.account_of(token.market.address)))) for _, side in sides]
        state = warehouse.rows(
            """SELECT argMax((reserve0_raw, reserve1_raw), (block_number, log_index)) AS last
               FROM fact_pool_state WHERE pool = unhex({pool:String})""",
            {"pool": bytes(token.market.address).hex()},
        )
        assert list(state[0]["last"]) == held


def _balance(world: World, account: str) -> str:
    answer = world.node.rpc("getTokenAccountBalance", account, {"commitment": "confirmed"})
    return str(answer["value"]["amount"])
