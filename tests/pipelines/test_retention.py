from datetime import UTC, datetime, timedelta

import dagster as dg
import pytest

from pipelines.retention import ACCOUNTS_KEPT, remove_finished_runs
from warehouse.postgres import Connection


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


@pytest.mark.usefixtures("dagster_environment")
def test_old_accounts_of_asset_runs_go_with_the_daily_job(store: Connection) -> None:
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
