"""Holders as Dagster runs them."""

import dagster as dg

from pipelines.resources import Engines
from pipelines.running import derived, run_step


@derived(deps=["raw_block"], group_name="holders")
def agg_token_hour(engines: Engines) -> dg.MaterializeResult[None]:
    """Holder counts by hour, entering and leaving holders by day, the largest holders."""
    return run_step(engines, "holders")
