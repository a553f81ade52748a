"""Runs that fail are recorded in the event log, where whoever watches the service reads them."""

import dagster as dg

from pipelines.resources import Engines
from warehouse import sql
from warehouse.postgres import Jsonb


@dg.run_failure_sensor(
    name="record_failed_runs",
    default_status=dg.DefaultSensorStatus.RUNNING,
    minimum_interval_seconds=30,
)
def record_failed_runs(context: dg.RunFailureSensorContext, engines: Engines) -> None:
    """One ``pipeline.failed`` event for each failed run."""
    run = context.dagster_run
    context.log.error(f"run {run.run_id} of {run.job_name} failed: {context.failure_event.message}")
    with engines.connect() as connections:
        connections.store.execute(
            sql.load("exchange/record_failure").encode(),
            {
                "subject": run.job_name,
                "payload": Jsonb(
                    {"runId": run.run_id, "job": run.job_name, "message": context.failure_event.message or ""}
                ),
                "dedupe_key": f"pipeline.failed:{run.run_id}",
            },
        )
