"""When the derived tables are refreshed and superseded rows are removed."""

import dagster as dg

from pipelines.assets import refresh_assets
from pipelines.publication import clean
from pipelines.refresh_run import open_refresh_run
from pipelines.resources import Engines
from pipelines.running import DERIVE_POOL, OWNERS, RETRY, result

# Checks have a job of their own, which takes longer.
refresh_job = dg.define_asset_job(
    "refresh",
    selection=dg.AssetSelection.assets(*refresh_assets).without_checks(),
    tags={"subject": "derived"},
)
refresh_schedule = dg.ScheduleDefinition(
    name="refresh_every_five_minutes",
    job=refresh_job,
    cron_schedule="*/5 * * * *",
    default_status=dg.DefaultScheduleStatus.RUNNING,
)


@dg.asset(deps=["serve_token"], group_name="documents", retry_policy=RETRY, pool=DERIVE_POOL, owners=OWNERS)
def serve_publication(engines: Engines) -> dg.MaterializeResult[None]:
    """Removes superseded served rows that no cursor can ask for any more."""
    with (
        engines.connect() as connections,
        open_refresh_run(connections.warehouse, connections.store, connections.chains) as run,
    ):
        clean(run)
        return result(run.log.entries)


cleaning_job = dg.define_asset_job("cleaning", selection=[serve_publication], tags={"subject": "derived"})
cleaning_schedule = dg.ScheduleDefinition(
    name="cleaning_every_ten_minutes",
    job=cleaning_job,
    cron_schedule="3-59/10 * * * *",
    default_status=dg.DefaultScheduleStatus.RUNNING,
)
