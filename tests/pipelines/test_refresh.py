from pipelines.refresh import refresh
from tests.factories.ledger import Ledger, address
from tests.factories.markets import build_market
from tests.fixtures.derived import served
from warehouse.clickhouse import Warehouse
from warehouse.domain.chains import Chains
from warehouse.postgres import Connection


def test_without_published_blocks_nothing_is_derived(warehouse: Warehouse, store: Connection, chains: Chains) -> None:
    runs = refresh(warehouse, store, chains)
    assert sum(run.rows for run in runs) == 0
    assert warehouse.scalar("SELECT count() FROM serve_token") == 0


def test_a_refresh_derives_tokens_holders_prices_and_documents(
    warehouse: Warehouse, store: Connection, chains: Chains, ledger: Ledger
) -> None:
    build_market(ledger)
    refresh(warehouse, store, chains)
    rows = served(warehouse)
    assert set(rows) == {"WETH", "USDC", "PEPE"}
    pepe = rows["PEPE"]
    assert pepe["holders"] == 2
    assert pepe["price_usd"] == 2
    assert pepe["fdv_usd"] == 2_000_000
    assert pepe["volume_24h_usd"] == 2_000
    assert pepe["liquidity_usd"] == 400_000
    assert pepe["transactions_24h"] == 1
    assert pepe["deployed_by"] == address(0xD1)
    assert rows["WETH"]["price_usd"] == 2_000
    assert rows["USDC"]["price_usd"] == 1
    assert pepe["token_rank"] is not None
