"""Refreshing after each change gives the same tables as refreshing once at the end, and twice the same as once."""

from typing import Any

import pytest

from pipelines.refresh import refresh
from tests.factories.economy import Economy
from tests.factories.ledger import Ledger, address
from tests.fixtures.data_checks import STATEMENTS, violations
from tests.fixtures.derived import LISTED, TABLES, contents, forget, served
from warehouse.clickhouse import Warehouse
from warehouse.domain.chains import Chains
from warehouse.postgres import Connection

ALICE, BOB = address(0xA11CE), address(0xB0B)


def test_incremental_refreshes_equal_one_full_refresh(
    warehouse: Warehouse,
    store: Connection,
    chains: Chains,
    ledger: Ledger,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    economy = Economy(ledger, 2)
    economy.create_assets()
    reverted = 0
    # Of the gradual refreshes; the full one at the end takes all pools in one statement.
    monkeypatch.setattr("pipelines.trades.derive._POOLS_PER_STATEMENT", 2)
    for step in range(6):
        economy.add_blocks(economy.rng.randrange(1, 8))
        ledger.publish()
        refresh(warehouse, store, chains, full=step % 2 == 0)
        if step == 3:
            known = set(economy.tokens), list(economy.pools)
            economy.add_blocks(4)
            ledger.publish()
            refresh(warehouse, store, chains, full=False)
            ledger.revert_last_unit()
            economy.tokens = [token for token in economy.tokens if token in known[0]]
            economy.pools = known[1]
            reverted += 1
    refresh(warehouse, store, chains)
    for check in STATEMENTS:
        assert violations(warehouse, check) == [], check
    gradually = contents(warehouse)
    listed = store.execute(LISTED).fetchall()
    forget(warehouse, store)
    monkeypatch.undo()
    refresh(warehouse, store, chains)
    at_once = contents(warehouse)
    for table in TABLES:
        assert gradually[table] == at_once[table], table
    assert listed == store.execute(LISTED).fetchall()
    assert reverted == 1


def test_a_repeated_refresh_writes_nothing(
    warehouse: Warehouse, store: Connection, chains: Chains, ledger: Ledger
) -> None:
    economy = Economy(ledger, 4)
    economy.create_assets()
    economy.add_blocks(10)
    ledger.publish()
    refresh(warehouse, store, chains)

    def sizes() -> dict[str, Any]:
        rows = warehouse.rows(
            "SELECT table, sum(rows) AS n FROM system.parts WHERE active AND database = currentDatabase()"
            " AND table NOT LIKE 'work_%' GROUP BY table"
        )
        return {row["table"]: row["n"] for row in rows}

    before = sizes()
    runs = refresh(warehouse, store, chains)
    assert sum(run.rows for run in runs) == 0
    assert sizes() == before


def test_a_wallet_that_sold_all_on_the_day_it_bought_holds_no_more(
    warehouse: Warehouse, store: Connection, chains: Chains, ledger: Ledger
) -> None:
    """Its rows add up to zero, and disappear when the warehouse merges them."""
    ledger.mine()
    token = ledger.token(0x9E9E, "PEPE", supply=100, creator=ALICE)
    ledger.mine()
    ledger.transfer(token, ALICE, BOB, 5)
    ledger.publish()
    refresh(warehouse, store, chains)
    assert served(warehouse)["PEPE"]["holders"] == 2
    ledger.mine()
    ledger.transfer(token, BOB, ALICE, 5)
    ledger.publish()
    warehouse.command("OPTIMIZE TABLE agg_balance_day FINAL")
    refresh(warehouse, store, chains)
    assert served(warehouse)["PEPE"]["holders"] == 1
    for check in ("holders_equal_balances", "days_equal_hours"):
        assert violations(warehouse, check) == []
