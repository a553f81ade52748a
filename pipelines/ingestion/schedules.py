"""When ingestion is repaired: every five minutes, between the refreshes. A running follower is usually far ahead."""

from collections.abc import Sequence

import dagster as dg


def ingestion_schedules(heads: Sequence[dg.AssetsDefinition]) -> list[dg.ScheduleDefinition]:
    """One job and schedule per chain, so that a chain whose node is down holds up no other."""
    made = []
    for head in heads:
        name = head.key.to_user_string()
        job = dg.define_asset_job(f"repair_{name}", selection=[head], tags={"subject": "ingestion"})
        made.append(
            dg.ScheduleDefinition(
                name=f"repair_{name}_every_five_minutes",
                job=job,
                cron_schedule="2-59/5 * * * *",
                default_status=dg.DefaultScheduleStatus.RUNNING,
            )
        )
    return made
