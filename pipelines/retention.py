"""How long frequent runs (Dagster's and our own), single changes of facts and transfers are kept.

Dagster keeps every run for ever. Runs of partitioned jobs stay, because they say which partitions exist. Those of the
recurring jobs below are soon worthless but would fill the store, and so would our log of step runs, to which a
follower at the head adds several a second. What is reported to assets once a minute would grow for ever as well.
"""

from datetime import UTC, datetime, timedelta

import dagster as dg

from pipelines.old_transfers import drop
from pipelines.resources import Engines
from warehouse import postgres, sql
from warehouse.clickhouse import Warehouse
from warehouse.postgres import Connection

KEPT = timedelta(days=14)
ACCOUNTS_KEPT = timedelta(days=3)
CHANGES_KEPT = timedelta(days=31)
"""By the chain's own time. Reorganisations reach back minutes, rewinds by operators days."""
_FINISHED = [dg.DagsterRunStatus.SUCCESS, dg.DagsterRunStatus.FAILURE, dg.DagsterRunStatus.CANCELED]
_PER_JOB = 2_000
"""More than a job can make in a day."""


def remove_finished_runs(instance: dg.DagsterInstance, job_name: str, before: datetime) -> int:
    """Remove a job's finished runs created before a moment; returns how many. Calling it again removes the rest."""
    old = instance.get_run_records(
        dg.RunsFilter(job_name=job_name, statuses=_FINISHED, created_before=before),
        limit=_PER_JOB,
        ascending=True,
    )
    for record in old:
        instance.delete_run(record.dagster_run.run_id)
    return len(old)


def remove_step_runs(store: Connection, before: datetime) -> int:
    """Remove step runs that began before a moment from our log; returns how many. Their totals stay."""
    return postgres.execute(store, "step_runs/remove_old", {"before": before})


def remove_old_reports(store: Connection, before: datetime) -> int:
    """Remove what was reported to Dagster's assets without a run before a moment, except the last of each; returns how
    many. Where Dagster's storage is not in this store, there is nothing to remove."""
    if not postgres.run(store, "status/find_tables")[0]["dagster"]:
        return 0
    return int(postgres.run(store, "dagster/remove_old_reports", {"before": before})[0]["removed"])


def thin_changes(warehouse: Warehouse, store: Connection, kept: timedelta = CHANGES_KEPT) -> int:
    """Remove changes that no step, event source or reorganisation will need, and whose blocks are older than ``kept``;
    returns how many. The removal is recorded before the first row goes. Calling it again removes the rest."""
    removed = 0
    for row in postgres.run(store, "derivation/list_needed_changes"):
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
    """Once a day, remove old runs of the recurring jobs, old step runs, changes that every step has seen, and
    months of transfers that a chain does not keep."""

    @dg.op(name="remove_old_runs", out=dg.Out(dg.Nothing))
    def remove_old_runs(context: dg.OpExecutionContext, engines: Engines) -> None:
        before = datetime.now(UTC) - KEPT
        for name in recurring:
            context.log.info("%s: %d old runs removed", name, remove_finished_runs(context.instance, name, before))
        with engines.connect() as connections:
            removed = remove_step_runs(connections.store, datetime.now(UTC) - ACCOUNTS_KEPT)
            reports = remove_old_reports(connections.store, datetime.now(UTC) - ACCOUNTS_KEPT)
            thinned = thin_changes(connections.warehouse, connections.store)
        context.log.info(
            "%d old step runs removed, %d old reports to assets, %d changes of facts", removed, reports, thinned
        )

    @dg.op(name="drop_old_transfers", out=dg.Out(dg.Nothing))
    def drop_old_transfers(context: dg.OpExecutionContext, engines: Engines) -> None:
        with engines.connect() as connections:
            for chain in connections.chains.by_key.values():
                for line in drop(connections, chain).lines():
                    context.log.info("%s", line)

    @dg.job(name="retention", tags={"subject": "upkeep"})
    def retention() -> None:
        remove_old_runs()
        drop_old_transfers()

    return dg.ScheduleDefinition(
        name="retention_daily",
        job=retention,
        cron_schedule="41 3 * * *",
        default_status=dg.DefaultScheduleStatus.RUNNING,
    )
