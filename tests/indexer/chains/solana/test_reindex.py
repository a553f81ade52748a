"""Slots of Solana that were lost or changed are repaired from the chain."""

from indexer.reindex import reindex
from indexer.run import advance
from tests.fixtures.data_checks import violations
from tests.fixtures.indexing import all_rows, differences, indexing
from tests.fixtures.solana_indexing import facts_of
from tests.fixtures.solana_ledger import SolanaLedger
from tests.indexer.chains.solana.test_index import SMALL_UNITS
from warehouse.clickhouse import Warehouse
from warehouse.domain.facts import FACT_TABLES

BUSIEST = "SELECT block_number AS slot FROM fact_transfer GROUP BY slot ORDER BY count() DESC, slot LIMIT 2"


def test_lost_slots_and_changed_amounts_are_repaired(
    ledger: SolanaLedger, node_url: str, warehouse: Warehouse, store_url: str
) -> None:
    chain = facts_of(ledger, node_url)
    with indexing(warehouse, store_url, SMALL_UNITS) as context:
        advance(context, chain)
        before = all_rows(warehouse)
        lost, changed = (row["slot"] for row in warehouse.rows(BUSIEST))
        for table, facts in FACT_TABLES.items():
            warehouse.command(f"DELETE FROM {table} WHERE {facts.block_column} = {lost}")
        warehouse.command(
            f"ALTER TABLE fact_transfer UPDATE amount_raw = amount_raw + 1 WHERE block_number = {changed}",
            settings={"mutations_sync": 2},
        )
        assert violations(warehouse, "contiguous_blocks")
        done = reindex(context, chain, min(lost, changed), max(lost, changed))

        assert done.missing["raw_block"] == 1
        assert done.surplus["fact_transfer"] > 0
        assert differences(all_rows(warehouse), before) == {}
        assert violations(warehouse, "contiguous_blocks") == []
        assert not reindex(context, chain, 0, ledger.head, dry_run=True).differs
