"""What tries to move a served price, and by how much it may."""

from decimal import Decimal

from indexer.chains.facts import Chains
from pipelines.refresh import refresh
from tests.factories.ledger import WETH, Ledger, address
from tests.pipelines.test_refresh import DOLLAR, ETHER, build_market, served
from warehouse.clickhouse import Warehouse
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


def test_a_pool_of_strangers_a_fake_dollar_and_a_made_up_factory_price_nothing(
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


def test_figures_of_a_day_fade_with_time_alone(
    ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains
) -> None:
    build_market(ledger)
    refresh(warehouse, store, chains, thorough=False)
    assert served(warehouse)["PEPE"]["volume_24h_usd"] == 2_000
    ledger.mine(24 * 3_600 + 600)
    ledger.publish()
    refresh(warehouse, store, chains, thorough=False)
    row = served(warehouse)["PEPE"]
    assert row["volume_24h_usd"] == 0
    assert row["transactions_24h"] == 0
    assert row["price_change_24h"] == 0


def test_what_was_burned_counts_for_the_diluted_value_alone(
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


def test_the_native_coin_moves_what_is_quoted_in_it(
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
