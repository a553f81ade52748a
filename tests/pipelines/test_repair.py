"""A Dagster backfill of a window repairs what was lost in it, and every check of the data passes again."""

from pathlib import Path

import dagster as dg
import pytest

from indexer.reindex import reindex
from indexer.run import advance
from pipelines.ingestion.assets import raw_block
from pipelines.partitions import block_windows, window_key
from pipelines.refresh import refresh
from pipelines.resources import EngineAccess
from tests.fixtures.data_checks import STATEMENTS, violations
from tests.fixtures.indexing import SMALL_UNITS, indexing
from warehouse.clickhouse import Warehouse
from warehouse.domain.chains import Chain, Chains
from warehouse.domain.facts import FACT_TABLES
from warehouse.postgres import Connection


def test_a_backfill_repairs_a_hole(
    archive_chain: Chain, warehouse: Warehouse, warehouse_url: str, store: Connection, store_url: str, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    path = tmp_path / "chains.toml"  # written by the fixture of the chain
    for name, value in (("CLICKHOUSE_URL", warehouse_url), ("DATABASE_URL", store_url), ("CHAINS", str(path))):
        monkeypatch.setenv(f"REGALIA_{name}", value)
    monkeypatch.setenv("REGALIA_DATA_DIR", str(tmp_path))
    chains = Chains({archive_chain.key: archive_chain})
    with indexing(warehouse, store_url, SMALL_UNITS) as context:
        advance(context, archive_chain, to_block=80)
    refresh(warehouse, store, chains)
    for table, facts in FACT_TABLES.items():
        warehouse.command(f"DELETE FROM {table} WHERE {facts.block_column} BETWEEN 50 AND 51")
    assert violations(warehouse, "contiguous_blocks")
    refresh(warehouse, store, chains)

    window = window_key(archive_chain.key, 0)
    with dg.DagsterInstance.ephemeral() as instance:
        instance.add_dynamic_partitions(str(block_windows.name), [window])
        done = dg.materialize(
            [raw_block], instance=instance, resources={"engines": EngineAccess()}, partition_key=window
        )
    metadata = done.asset_materializations_for_node("raw_block")[0].metadata
    assert "raw_block: 2 rows missing" in str(metadata["notes"].value)
    refresh(warehouse, store, chains)

    with indexing(warehouse, store_url) as context:
        assert not reindex(context, archive_chain, 0, 10**9, dry_run=True).differs
    assert {check: found for check in STATEMENTS if (found := violations(warehouse, check))} == {}
