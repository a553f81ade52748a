"""When hours are scored: two minutes after they close."""

import dagster as dg

from pipelines.heartbeats.assets import agg_heartbeat

heartbeat_job = dg.define_asset_job("heartbeats", selection=[agg_heartbeat], tags={"subject": "heartbeats"})
heartbeat_schedule = dg.build_schedule_from_partitioned_job(
    heartbeat_job,
    name="heartbeats_hourly",
    minute_of_hour=2,
    default_status=dg.DefaultScheduleStatus.RUNNING,
)
