from datetime import UTC, datetime, timedelta
from pathlib import Path

import dagster as dg
import pytest

from api.ops.supervisor import dagster_home
from pipelines.refresh import refresh
from pipelines.retention import ACCOUNTS_KEPT, remove_finished_runs, remove_old_reports, thin_changes
from tests.factories.economy import Economy
from tests.factories.ledger import Ledger
from tests.fixtures.derived import contents, forget
from warehouse import sql
from warehouse.clickhouse import Warehouse
from warehouse.domain.chains import Chains
from warehouse.postgres import Connection

CHANGES = "SELECT count() FROM fact_change WHERE change_id > 0"
NO_TIME = timedelta(0)


@dg.op
def nothing() -> None: ...


@dg.job
def recurring() -> None:
    nothing()


@dg.job
def other() -> None:
    nothing()


def test_only_finished_runs_of_the_job_from_before_the_moment_are_removed() -> None:
    with dg.DagsterInstance.ephemeral() as instance:
        for job in (recurring, recurring, other):
            job.execute_in_process(instance=instance)
        running = instance.create_run_for_job(recurring)
        now = datetime.now(UTC)
        assert remove_finished_runs(instance, "recurring", now - timedelta(hours=1)) == 0
        assert remove_finished_runs(instance, "recurring", now + timedelta(hours=1)) == 2
        left = {(run.job_name, run.run_id == running.run_id) for run in instance.get_runs()}
        assert left == {("recurring", True), ("other", False)}


def test_old_reports_to_assets_are_removed_except_the_last_of_each(
    store: Connection, store_url: str, tmp_path: Path
) -> None:
    now = datetime.now(UTC)
    assert remove_old_reports(store, now) == 0  # no storage of Dagster's
    store.execute("CREATE SCHEMA dagster")
    dagster_home.write(tmp_path, database_url=store_url, code_server_port=1)
    with dg.DagsterInstance.from_config(str(tmp_path)) as instance:
        for _ in range(3):
            instance.report_runless_asset_event(dg.AssetMaterialization("fact_transfer"))
            for window in ("base/0-9", "base/10-19"):
                instance.report_runless_asset_event(dg.AssetMaterialization("raw_block", partition=window))
        recurring.execute_in_process(instance=instance)
        of_runs = "SELECT count(*) AS n FROM dagster.event_logs WHERE run_id != ''"
        before = store.execute(of_runs).fetchone()
        assert remove_old_reports(store, now - timedelta(hours=1)) == 0
        assert remove_old_reports(store, now + timedelta(hours=1)) == 6
        assert store.execute(of_runs).fetchone() == before
        left = store.execute("SELECT asset_key FROM dagster.event_logs WHERE run_id = '' ORDER BY id").fetchall()
        assert [row["asset_key"] for row in left] == ['["fact_transfer"]', '["raw_block"]', '["raw_block"]']
        windows = instance.get_materialized_partitions(dg.AssetKey("raw_block"))
        assert windows == {"base/0-9", "base/10-19"}


@pytest.mark.usefixtures("dagster_environment")
def test_the_daily_job_removes_old_step_runs(store: Connection) -> None:
    from pipelines.definitions import defs

    for age in (ACCOUNTS_KEPT * 2, ACCOUNTS_KEPT / 2):
        store.execute(
            "INSERT INTO asset_run (asset, started_at, seconds, row_count) VALUES ('holders', %s, 1, 1)",
            (datetime.now(UTC) - age,),
        )
    with dg.DagsterInstance.ephemeral() as instance:
        assert defs.resolve_job_def("retention").execute_in_process(instance=instance).success
    rows = store.execute("SELECT now() - started_at < %s AS recent FROM asset_run", (ACCOUNTS_KEPT,)).fetchall()
    assert rows == [{"recent": True}]


@pytest.fixture
def grown(settling: Ledger, warehouse: Warehouse, store: Connection, chains: Chains) -> Economy:
    """Some changes, all of them seen, those of the last blocks not final."""
    economy = Economy(settling, 7)
    economy.create_assets()
    for _ in range(4):
        economy.add_blocks(6)
        settling.publish()
        refresh(warehouse, store, chains)
    return economy


def test_thinned_changes_suffice_for_later_and_rebuilt_tables(
    grown: Economy, warehouse: Warehouse, store: Connection, chains: Chains
) -> None:
    before = warehouse.scalar(CHANGES)
    removed = thin_changes(warehouse, store, NO_TIME)
    assert removed > 0
    assert warehouse.scalar(CHANGES) == before - removed
    assert thin_changes(warehouse, store, NO_TIME) == 0
    grown.add_blocks(6)
    grown.ledger.publish()
    refresh(warehouse, store, chains)
    gradually = contents(warehouse)
    forget(warehouse, store)
    refresh(warehouse, store, chains)
    assert contents(warehouse) == gradually


def test_changes_that_are_young_not_final_or_unread_are_kept(
    grown: Economy, warehouse: Warehouse, store: Connection
) -> None:
    assert grown.ledger.units
    assert thin_changes(warehouse, store) == 0
    final = store.execute("SELECT final_block FROM chain_checkpoint").fetchone()
    store.execute("UPDATE chain_checkpoint SET final_block = 0")
    assert thin_changes(warehouse, store, NO_TIME) == 0
    assert final is not None
    store.execute("UPDATE chain_checkpoint SET final_block = %s", (final["final_block"],))
    store.execute("UPDATE derive_checkpoint SET change_id = 0 WHERE subject = 'holders'")
    assert thin_changes(warehouse, store, NO_TIME) == 0


def test_reverting_blocks_touches_every_key_from_the_lowest_on(
    grown: Economy, warehouse: Warehouse, store: Connection
) -> None:
    thin_changes(warehouse, store, NO_TIME)
    chain_id = grown.ledger.chain_id
    keys = warehouse.scalar("SELECT uniqExact(subject, key) FROM fact_change WHERE change_id > 0")
    announced = (
        "SELECT uniqExact(subject, key) AS keys, min(from_block) AS lowest, max(from_block) AS highest"
        " FROM fact_change WHERE change_id = {change:UInt64}"
    )

    def touched_again(change: int, from_unit: int) -> dict[str, int]:
        units = [unit[0] for unit in grown.ledger.units[from_unit:]]
        warehouse.command(
            sql.load("transforms/ingest/revert_changes"), {"chain_id": chain_id, "change_id": change, "units": units}
        )
        return warehouse.rows(announced, {"change": change})[0]

    assert 0 < touched_again(10**6, -1)["keys"] < keys
    first = grown.ledger.units[1][1]
    assert touched_again(10**6 + 1, 1) == {"keys": keys, "lowest": first, "highest": first}
