"""When alert rules are evaluated: a minute after each quarter of an hour, when the metrics have passed it,
unless there is no rule."""

import dagster as dg

from pipelines.alerts.assets import alert_instance
from pipelines.due import run_if_due

alerts_job = dg.define_asset_job("alerts", selection=[alert_instance], tags={"subject": "alerts"})
alerts_schedule = dg.ScheduleDefinition(
    name="alerts_every_quarter",
    job=alerts_job,
    cron_schedule="1-59/15 * * * *",
    execution_fn=run_if_due("alerts/find_due", "no alert rule is enabled, and no alert is open"),
    default_status=dg.DefaultScheduleStatus.RUNNING,
)
