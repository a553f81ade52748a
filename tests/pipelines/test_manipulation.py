"""What tries to move a served price, value or rank, and by how much it may: attacks as rows that a decoder gave."""

from decimal import Decimal
from math import isqrt, log10
from typing import Any

from pipelines.refresh import refresh
from tests.factories.amounts import DOLLAR, ETHER
from tests.factories.ledger import USDC, WETH, Ledger, address
from tests.factories.markets import build_market
from tests.fixtures.derived import served
from warehouse.clickhouse import Warehouse
from warehouse.domain.chains import Chains
from warehouse.postgres import Connection


def pepe(warehouse: Warehouse) -> Decimal | None:
    price: Decimal | None = served(warehouse)["PEPE"]["price_usd"]
    return price


def crash(ledger: Ledger, pool: str) -> None:
    """A swap that multiplies PEPE's price in its pool by ten thousand."""
    ledger.swap(pool, -99_000 * ETHER, 9_900 * ETHER)
    ledger.sync(pool, 1_000 * ETHER, 10_000 * ETHER)


def test_a_spike_of_one_block_moves_nothing(
    ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains
) -> None:
    _, pool = build_market(ledger)
    ledger.mine()
    crash(ledger, pool)
    ledger.publish()
    refresh(warehouse, store, chains)
    assert pepe(warehouse) == 2
    ledger.mine(12)
    ledger.sync(pool, 100_000 * ETHER, 100 * ETHER)
    ledger.publish()
    refresh(warehouse, store, chains)
    assert pepe(warehouse) == 2
    ledger.mine(3_600)
    ledger.publish()
    refresh(warehouse, store, chains)
    row = served(warehouse)["PEPE"]
    assert row["price_usd"] == 2
    assert row["price_change_1h"] == 0


def test_a_price_that_holds_becomes_the_price(
    ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains
) -> None:
    _, pool = build_market(ledger)
    ledger.mine()
    ledger.swap(pool, -50_000 * ETHER, 100 * ETHER)
    ledger.sync(pool, 50_000 * ETHER, 200 * ETHER)
    ledger.publish()
    refresh(warehouse, store, chains)
    assert pepe(warehouse) == 2
    ledger.mine(900)
    ledger.publish()
    refresh(warehouse, store, chains)
    assert pepe(warehouse) == 8
    ledger.mine(3_600)
    ledger.publish()
    refresh(warehouse, store, chains)
    assert served(warehouse)["PEPE"]["price_change_1h"] == 0
    assert served(warehouse)["PEPE"]["price_change_6h"] is None


def test_unknown_pools_fake_dollars_and_unknown_factories_price_nothing(
    ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains
) -> None:
    token, _ = build_market(ledger)
    ledger.mine()
    fake = ledger.token(0x1, "USDC", supply=10**18 * DOLLAR, decimals=6)
    ledger.sync(ledger.pool(0x7101, fake, token), 10**15 * DOLLAR, 10**6 * ETHER)
    ledger.sync(ledger.pool(0x7102, token, WETH, factory=address(0xBAD)), 1 * ETHER, 10**6 * ETHER)
    ledger.sync(ledger.pool(0x7103, token, WETH), ETHER // 10**6, ETHER // 3)
    mine = ledger.token(0x2, "MINE", supply=10**9 * ETHER)
    ledger.sync(ledger.pool(0x7104, mine, token), 10**9 * ETHER, 10**3 * ETHER)
    ledger.mine(900)
    ledger.publish()
    refresh(warehouse, store, chains)
    rows = served(warehouse)
    assert rows["PEPE"]["price_usd"] == 2
    assert rows["MINE"]["price_usd"] is None
    assert rows["MINE"]["market_cap_usd"] is None
    assert rows["MINE"]["token_rank"] is None


def test_daily_metrics_decay_without_new_blocks(
    ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains
) -> None:
    build_market(ledger)
    refresh(warehouse, store, chains, full=False)
    assert served(warehouse)["PEPE"]["volume_24h_usd"] == 2_000
    ledger.mine(24 * 3_600 + 600)
    ledger.publish()
    refresh(warehouse, store, chains, full=False)
    row = served(warehouse)["PEPE"]
    assert row["volume_24h_usd"] == 0
    assert row["transactions_24h"] == 0
    assert row["price_change_24h"] == 0


def test_burned_supply_counts_in_the_diluted_value_only(
    ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains
) -> None:
    token, _ = build_market(ledger)
    ledger.mine()
    ledger.transfer(token, address(0xD1), address(0xDEAD), 500_000 * ETHER)
    ledger.publish()
    refresh(warehouse, store, chains)
    row = served(warehouse)["PEPE"]
    assert row["fdv_usd"] == 2_000_000
    assert row["market_cap_usd"] == 1_000_000


def test_a_moved_native_coin_moves_tokens_quoted_in_it(
    ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains
) -> None:
    build_market(ledger)
    refresh(warehouse, store, chains)
    ledger.mine()
    ledger.sync(address(0x7001), 3_000_000 * DOLLAR, 1_000 * ETHER)
    ledger.mine(1_200)
    ledger.publish()
    refresh(warehouse, store, chains)
    assert served(warehouse)["WETH"]["price_usd"] == 3_000
    assert pepe(warehouse) == 3
    row = store.execute("SELECT price_usd, source FROM native_price WHERE chain_id = 8453").fetchone()
    assert row == {"price_usd": 3_000, "source": "uniswap: 1 pool"}


def market_of(warehouse: Warehouse, symbol: str) -> dict[str, Any]:
    """What could be gained by an attack."""
    names = ("price_usd", "market_cap_usd", "fdv_usd", "liquidity_usd", "market_score", "token_rank")
    row = served(warehouse)[symbol]
    return {name: row[name] for name in names}


def open_wide(ledger: Ledger, number: int, token: str, price: Decimal, dollars: int) -> str:
    """A V3 pool against WETH over a wide range, at ``price`` WETH, with so many dollars on the WETH side."""
    pool = ledger.pool(number, token, WETH, protocol="uniswap_v3")
    root = isqrt(int(price * 2**192))
    ledger.initialize(pool, root)
    ledger.position(pool, -887_220, 887_220, (dollars * ETHER // 2_000 << 96) // root)
    return pool


def test_short_lived_liquidity_gives_a_false_price_no_weight(
    ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains
) -> None:
    """A pool of little depth has long said ten times the price; for one block it becomes the deepest of all."""
    token, _ = build_market(ledger)
    ledger.mine()
    liar = open_wide(ledger, 0x7201, token, Decimal("0.01"), 1_500)
    ledger.mine(1_200)
    ledger.publish()
    refresh(warehouse, store, chains)
    before = market_of(warehouse, "PEPE")
    assert before["price_usd"] == 2
    ledger.mine()
    ledger.position(liar, -60, 887_220, 10**27)
    ledger.position(liar, -887_220, 887_220, 10**27)
    ledger.publish()
    refresh(warehouse, store, chains)
    assert market_of(warehouse, "PEPE") == before
    ledger.mine(240)
    ledger.publish()
    refresh(warehouse, store, chains)
    assert market_of(warehouse, "PEPE") == before
    ledger.position(liar, -60, 887_220, -(10**27))
    ledger.position(liar, -887_220, 887_220, -(10**27))
    ledger.mine(2_000)
    ledger.publish()
    refresh(warehouse, store, chains)
    assert market_of(warehouse, "PEPE") == before


def test_lasting_liquidity_counts_without_swaps(
    ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains
) -> None:
    token, _ = build_market(ledger)
    ledger.mine()
    pool = open_wide(ledger, 0x7201, token, Decimal("0.001"), 1_500)
    ledger.mine(1_200)
    ledger.publish()
    refresh(warehouse, store, chains)
    before = market_of(warehouse, "PEPE")["liquidity_usd"]
    ledger.mine()
    ledger.position(pool, -887_220, 887_220, 10**22)
    ledger.publish()
    refresh(warehouse, store, chains)
    assert market_of(warehouse, "PEPE")["liquidity_usd"] == before
    ledger.mine(1_200)
    ledger.publish()
    refresh(warehouse, store, chains)
    assert market_of(warehouse, "PEPE")["liquidity_usd"] > before + 1_000_000


def test_a_new_pool_sets_no_price_however_deep(
    ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains
) -> None:
    token, _ = build_market(ledger)
    refresh(warehouse, store, chains)
    before = market_of(warehouse, "PEPE")
    ledger.mine()
    ledger.sync(ledger.pool(0x7202, token, WETH), 100_000 * ETHER, 10_000 * ETHER)
    open_wide(ledger, 0x7203, token, Decimal("0.1"), 10**9)
    ledger.mine(290)
    ledger.publish()
    refresh(warehouse, store, chains)
    assert market_of(warehouse, "PEPE") == before
    ledger.mine(600)
    ledger.publish()
    refresh(warehouse, store, chains)
    assert pepe(warehouse) > 100  # a thousand times the depth, left open to arbitrage for so long, sets the price


def test_many_small_pools_weigh_no_more_than_their_liquidity(
    ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains
) -> None:
    token, _ = build_market(ledger)
    refresh(warehouse, store, chains)
    ledger.mine()
    for number in range(40):
        ledger.sync(ledger.pool(0x7300 + number, token, WETH), 200 * ETHER, 2 * ETHER)
    ledger.mine(1_200)
    ledger.publish()
    refresh(warehouse, store, chains)
    row = served(warehouse)["PEPE"]
    assert row["price_usd"] == 2
    assert row["price_source"] == "uniswap: 1 pool"
    assert row["price_confidence"] < 1


def test_wash_trading_raises_score_and_heartbeat_only_up_to_the_liquidity(
    ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains
) -> None:
    _, pool = build_market(ledger)
    refresh(warehouse, store, chains)
    before, standing = market_of(warehouse, "PEPE"), served(warehouse)["PEPE"]
    for _ in range(20):
        ledger.mine()
        ledger.swap(pool, -50_000 * ETHER, 100_000 * ETHER)
        ledger.swap(pool, 50_000 * ETHER, -100_000 * ETHER)
        ledger.sync(pool, 100_000 * ETHER, 100 * ETHER)
    ledger.mine(600)
    ledger.publish()
    refresh(warehouse, store, chains)
    row, after = served(warehouse)["PEPE"], market_of(warehouse, "PEPE")
    assert row["volume_24h_usd"] > 10**9
    unmoved = ("price_usd", "market_cap_usd", "fdv_usd", "liquidity_usd")
    assert {name: after[name] for name in unmoved} == {name: before[name] for name in unmoved}
    gained = 0.30 * log10(10 * float(row["liquidity_usd"]) / float(standing["volume_24h_usd"])) / 7
    assert float(after["market_score"] - before["market_score"]) <= gained + 1e-6
    counted = warehouse.scalar(
        "SELECT toFloat64(JSONExtractString(inputs, 'volume_24h_usd')) FROM agg_heartbeat FINAL"
        " WHERE lower(hex(token)) = {token:String} ORDER BY hour DESC LIMIT 1",
        {"token": address(0x9E9E)},
    )
    assert counted == 10 * row["liquidity_usd"]


def test_an_implausible_supply_has_no_market_value(
    ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains
) -> None:
    build_market(ledger)
    vast = ledger.token(0x3, "VAST", supply=10**18 * ETHER)
    ledger.sync(ledger.pool(0x7401, vast, WETH), 1_000 * ETHER, 1 * ETHER)
    ledger.mine(1_200)
    ledger.publish()
    refresh(warehouse, store, chains)
    row = served(warehouse)["VAST"]
    assert row["price_usd"] == 2
    assert (row["market_cap_usd"], row["fdv_usd"]) == (None, None)
    assert row["market_score"] < Decimal("0.05")


def test_a_cheap_offer_of_the_native_coin_moves_no_price(
    ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains
) -> None:
    build_market(ledger)
    refresh(warehouse, store, chains)
    ledger.mine()
    ledger.sync(ledger.pool(0x7501, USDC, WETH), 100_000 * DOLLAR, 500 * ETHER)
    ledger.mine(1_200)
    ledger.publish()
    refresh(warehouse, store, chains)
    rows = served(warehouse)
    assert rows["WETH"]["price_usd"] == 2_000
    assert rows["PEPE"]["price_usd"] == 2
