from typing import Any

from pipelines.refresh import refresh
from tests.factories.ledger import USDC, WETH, Ledger, address
from warehouse.clickhouse import Warehouse
from warehouse.domain.chains import Chains
from warehouse.postgres import Connection

ETHER = 10**18
DOLLAR = 10**6


def served(warehouse: Warehouse, key: str = "symbol") -> dict[str, dict[str, Any]]:
    """Visible rows by symbol, or by another column."""
    rows = warehouse.rows(
        """SELECT * EXCEPT (address, deployer, copy_of_address, registration_owner, registration_manager,
                                   registry_address),
                  lower(hex(address)) AS token, lower(hex(deployer)) AS deployed_by
           FROM serve_token
           WHERE version <= (SELECT max(version) FROM serve_publication)
           ORDER BY version DESC LIMIT 1 BY symbol_key, chain_id, address"""
    )
    return {row[key]: row for row in rows if not row["deleted"]}


def build_market(ledger: Ledger) -> tuple[str, str]:
    """WETH at 2,000 dollars and a token PEPE at a thousandth of a WETH."""
    ledger.mine()
    ledger.token(int(WETH, 16), "WETH", supply=10_000 * ETHER)
    ledger.token(int(USDC, 16), "USDC", supply=10_000_000 * DOLLAR, decimals=6)
    pepe = ledger.token(0x9E9E, "PEPE", supply=1_000_000 * ETHER, creator=address(0xD1))
    first = ledger.pool(0x7001, USDC, WETH)
    second = ledger.pool(0x7002, pepe, WETH)
    ledger.sync(first, 2_000_000 * DOLLAR, 1_000 * ETHER)
    ledger.sync(second, 100_000 * ETHER, 100 * ETHER)
    ledger.transfer(pepe, address(0xD1), address(0xD2), 400_000 * ETHER)
    for _ in range(4):
        ledger.mine(400)
    ledger.swap(second, 1_000 * ETHER, -ETHER)
    ledger.sync(second, 100_000 * ETHER, 100 * ETHER)
    ledger.publish()
    return pepe, second


def test_nothing_published_makes_nothing(warehouse: Warehouse, store: Connection, chains: Chains) -> None:
    runs = refresh(warehouse, store, chains)
    assert sum(run.rows for run in runs) == 0
    assert warehouse.scalar("SELECT count() FROM serve_token") == 0


def test_tokens_holders_prices_and_documents(
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
