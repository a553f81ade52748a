"""When alert rules are evaluated: a minute after each quarter of an hour, when the metrics have passed it."""

import dagster as dg

from pipelines.alerts.assets import alert_instance

alerts_job = dg.define_asset_job("alerts", selection=[alert_instance], tags={"subject": "alerts"})
alerts_schedule = dg.ScheduleDefinition(
    name="alerts_every_quarter",
    job=alerts_job,
    cron_schedule="1-59/15 * * * *",
    default_status=dg.DefaultScheduleStatus.RUNNING,
)
