"""When ingestion is repaired: every five minutes, between the refreshes, unless a follower is at work."""

from collections.abc import Sequence
from functools import partial

import dagster as dg

from pipelines.assets import head_of
from pipelines.notices import open_store, skips_without_engines
from warehouse import postgres
from warehouse.domain.chains import Chain

FOLLOWED_SECONDS = 60.0
"""A chain whose indexer asked its nodes within this time is followed."""


def ingestion_schedules(chains: Sequence[Chain]) -> list[dg.ScheduleDefinition]:
    """One job and schedule per chain, so that a chain whose node is down holds up no other."""
    made = []
    for chain in chains:
        name = head_of(chain)
        job = dg.define_asset_job(f"repair_{name}", selection=[name], tags={"subject": "ingestion"})
        made.append(
            dg.ScheduleDefinition(
                name=f"repair_{name}_every_five_minutes",
                job=job,
                cron_schedule="2-59/5 * * * *",
                execution_fn=skips_without_engines(partial(run_unless_followed, chain)),
                default_status=dg.DefaultScheduleStatus.RUNNING,
            )
        )
    return made


def run_unless_followed(chain: Chain, context: dg.ScheduleEvaluationContext) -> dg.RunRequest | dg.SkipReason:
    """A run costs seconds of CPU, and beside a follower it would find nothing to do."""
    with open_store() as store:
        rows = postgres.run(store, "ingestion/find_quiet", {"chain_id": chain.chain_id})
    if rows and rows[0]["seconds"] < FOLLOWED_SECONDS:
        return dg.SkipReason(f"{chain.key} is followed: its indexer looked {rows[0]['seconds']:.0f} seconds ago")
    return dg.RunRequest()
