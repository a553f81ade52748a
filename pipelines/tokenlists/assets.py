"""The token list as Dagster runs it."""

import dagster as dg

from pipelines.resources import Engines
from pipelines.running import derived, run_step


@derived(deps=["registration", "agg_heartbeat"], group_name="token_lists", kinds={"postgres"})
def token_list(engines: Engines) -> dg.MaterializeResult[None]:
    """The versioned list of the tokens that an active registration stands behind."""
    return run_step(engines, "token_list")
