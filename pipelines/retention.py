"""How long runs that recur by the minute are remembered, Dagster's and our own, and single changes of facts.

Dagster keeps every run for ever. Runs of partitioned jobs say which partitions are made and stay; those of the
recurring jobs below say nothing after a while but would fill the store. So would our account of each asset's runs, of
which a follower at the head makes several a second.
"""

from datetime import UTC, datetime, timedelta

import dagster as dg

from pipelines.resources import Engines
from warehouse import sql
from warehouse.clickhouse import Warehouse
from warehouse.postgres import Connection

KEPT = timedelta(days=14)
ACCOUNTS_KEPT = timedelta(days=3)
CHANGES_KEPT = timedelta(days=31)
"""By the chain's own time. Reorganisations reach back minutes, operators' rewinds days."""
_FINISHED = [dg.DagsterRunStatus.SUCCESS, dg.DagsterRunStatus.FAILURE, dg.DagsterRunStatus.CANCELED]
_PER_JOB = 2_000
"""More than a job can make in a day."""


def remove_finished_runs(instance: dg.DagsterInstance, job_name: str, before: datetime) -> int:
    """Remove a job's finished runs that were made before a moment; how many there were. Repeating finds the rest."""
    old = instance.get_run_records(
        dg.RunsFilter(job_name=job_name, statuses=_FINISHED, created_before=before),
        limit=_PER_JOB,
        ascending=True,
    )
    for record in old:
        instance.delete_run(record.dagster_run.run_id)
    return len(old)


def remove_asset_runs(store: Connection, before: datetime) -> int:
    """Remove our account of asset runs that began before a moment; how many there were. Their sums stay."""
    return store.execute(sql.load("store/asset_runs/remove_old").encode(), {"before": before}).rowcount


def thin_changes(warehouse: Warehouse, store: Connection, kept: timedelta = CHANGES_KEPT) -> int:
    """Thin the changes that no subject, source of events or reorganisation will ask for by their numbers, and whose
    blocks are older than ``kept``; how many there were. That it was done is said before the first goes; doing it again
    finds the rest."""
    removed = 0
    for row in store.execute(sql.load("store/derivation/list_needed_changes").encode()).fetchall():
        bounds = {
            "chain_id": row["chain_id"],
            "below": row["needed_from"],
            "before": int((min(row["block_time"], datetime.now(UTC)) - kept).timestamp()),
        }
        before = _changes(warehouse, row["chain_id"])
        warehouse.command(sql.load("transforms/maintenance/mark_thinned_changes"), bounds)
        warehouse.command(sql.load("transforms/maintenance/thin_changes"), bounds)
        removed += before - _changes(warehouse, row["chain_id"])
    return removed


def _changes(warehouse: Warehouse, chain_id: int) -> int:
    return int(warehouse.scalar(sql.load("transforms/maintenance/change_count"), {"chain_id": chain_id}))


def retention_schedule(recurring: list[str]) -> dg.ScheduleDefinition:
    """Once a day, remove old runs of the recurring jobs, old accounts of assets, and changes that all have seen."""

    @dg.op(name="remove_old_runs", out=dg.Out(dg.Nothing))
    def remove_old_runs(context: dg.OpExecutionContext, engines: Engines) -> None:
        before = datetime.now(UTC) - KEPT
        for name in recurring:
            context.log.info("%s: %d old runs removed", name, remove_finished_runs(context.instance, name, before))
        with engines.connect() as connections:
            removed = remove_asset_runs(connections.store, datetime.now(UTC) - ACCOUNTS_KEPT)
            thinned = thin_changes(connections.warehouse, connections.store)
        context.log.info("%d old accounts of asset runs removed, %d changes of facts", removed, thinned)

    @dg.job(name="retention", tags={"subject": "upkeep"})
    def retention() -> None:
        remove_old_runs()

    return dg.ScheduleDefinition(
        name="retention_daily",
        job=retention,
        cron_schedule="41 3 * * *",
        default_status=dg.DefaultScheduleStatus.RUNNING,
    )
