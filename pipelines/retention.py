"""How long runs that recur by the minute are remembered, Dagster's and our own.

Dagster keeps every run for ever. Runs of partitioned jobs say which partitions are made and stay; those of the
recurring jobs below say nothing after a while but would fill the store. So would our account of each asset's runs, of
which a follower at the head makes several a second.
"""

from datetime import UTC, datetime, timedelta

import dagster as dg

from pipelines.resources import Engines
from warehouse import sql
from warehouse.postgres import Connection

KEPT = timedelta(days=14)
ACCOUNTS_KEPT = timedelta(days=3)
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
    return store.execute(sql.load("exchange/remove_asset_runs").encode(), {"before": before}).rowcount


def retention_schedule(recurring: list[str]) -> dg.ScheduleDefinition:
    """Once a day, remove old runs of the recurring jobs, and old accounts of assets."""

    @dg.op(name="remove_old_runs", out=dg.Out(dg.Nothing))
    def remove_old_runs(context: dg.OpExecutionContext, engines: Engines) -> None:
        before = datetime.now(UTC) - KEPT
        for name in recurring:
            context.log.info("%s: %d old runs removed", name, remove_finished_runs(context.instance, name, before))
        with engines.connect() as connections:
            removed = remove_asset_runs(connections.store, datetime.now(UTC) - ACCOUNTS_KEPT)
        context.log.info("%d old accounts of asset runs removed", removed)

    @dg.job(name="retention", tags={"subject": "upkeep"})
    def retention() -> None:
        remove_old_runs()

    return dg.ScheduleDefinition(
        name="retention_daily",
        job=retention,
        cron_schedule="41 3 * * *",
        default_status=dg.DefaultScheduleStatus.RUNNING,
    )
