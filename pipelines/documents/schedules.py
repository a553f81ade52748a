"""When the derived tables are refreshed and superseded rows are removed."""

import dagster as dg

from pipelines.assets import refresh_tables
from pipelines.due import run_if_due
from pipelines.locks import ALL_CHAINS
from pipelines.publication import clean
from pipelines.refresh_run import open_refresh_run
from pipelines.resources import Engines
from pipelines.running import DERIVE_POOL, RETRY, run_metadata

# Checks have a job of their own, which takes longer.
refresh_job = dg.define_asset_job(
    "refresh",
    selection=dg.AssetSelection.assets(refresh_tables).without_checks(),
    tags={"subject": "derived"},
)
refresh_schedule = dg.ScheduleDefinition(
    name="refresh_every_five_minutes",
    job=refresh_job,
    cron_schedule="*/5 * * * *",
    default_status=dg.DefaultScheduleStatus.RUNNING,
)


@dg.op(retry_policy=RETRY, pool=DERIVE_POOL, out=dg.Out(dg.Nothing))
def clean_served_rows(context: dg.OpExecutionContext, engines: Engines) -> None:
    """Remove superseded served rows that no cursor can ask for any more."""
    with (
        engines.connect() as connections,
        open_refresh_run(connections.warehouse, connections.store, connections.chains, chain_id=ALL_CHAINS) as run,
    ):
        clean(run)
        context.add_output_metadata(run_metadata(run.log.entries))


@dg.job(name="cleaning", tags={"subject": "derived"})
def cleaning_job() -> None:
    """Served rows that no cursor can ask for."""
    clean_served_rows()


cleaning_schedule = dg.ScheduleDefinition(
    name="cleaning_every_ten_minutes",
    job=cleaning_job,
    cron_schedule="3-59/10 * * * *",
    execution_fn=run_if_due("derivation/find_superseded", "nothing was published since the last cleaning"),
    default_status=dg.DefaultScheduleStatus.RUNNING,
)
