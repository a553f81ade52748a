"""Everything that Dagster runs, in one place. Importing this module contacts nothing."""

import dagster as dg

from pipelines.alerts.assets import alert_instance
from pipelines.alerts.schedules import alerts_job, alerts_schedule
from pipelines.assets import fact_specs, mart_specs, node_spec, refresh_tables
from pipelines.checks.asset_checks import asset_check
from pipelines.checks.declared import CHECKS
from pipelines.documents.schedules import (
    cleaning_job,
    cleaning_schedule,
    refresh_job,
    refresh_schedule,
)
from pipelines.heartbeats.assets import agg_heartbeat
from pipelines.heartbeats.schedules import heartbeat_job, heartbeat_schedule
from pipelines.holders.checks import balances_equal_chain
from pipelines.ingestion.assets import head_asset, raw_block
from pipelines.ingestion.schedules import ingestion_schedules
from pipelines.notices import note_recovered_runs, record_failed_runs, watch_service
from pipelines.reports import report_runs
from pipelines.resources import EngineAccess, configured_chains
from pipelines.retention import retention_schedule

nodes = [node_spec(chain) for chain in configured_chains()]
heads = [head_asset(chain) for chain in configured_chains()]
repairs = ingestion_schedules(configured_chains())

checks_job = dg.define_asset_job("checks", selection=dg.AssetSelection.all_asset_checks(), tags={"subject": "checks"})
checks_schedule = dg.ScheduleDefinition(
    name="checks_every_quarter",
    job=checks_job,
    cron_schedule="2-59/15 * * * *",
    default_status=dg.DefaultScheduleStatus.RUNNING,
)

recurring = [refresh_job.name, alerts_job.name, cleaning_job.name, *[schedule.job.name for schedule in repairs]]

defs = dg.Definitions(
    assets=[*nodes, *heads, raw_block, *fact_specs, refresh_tables, agg_heartbeat, alert_instance, *mart_specs],
    asset_checks=[*map(asset_check, CHECKS), balances_equal_chain],
    jobs=[refresh_job, heartbeat_job, alerts_job, cleaning_job, checks_job, *[schedule.job for schedule in repairs]],
    schedules=[
        refresh_schedule,
        heartbeat_schedule,
        alerts_schedule,
        cleaning_schedule,
        checks_schedule,
        retention_schedule(recurring),
        *repairs,
    ],
    sensors=[record_failed_runs, note_recovered_runs, watch_service, report_runs],
    resources={"engines": EngineAccess()},
    executor=dg.in_process_executor,
)
