"""Events as Dagster runs them."""

import dagster as dg

from pipelines.resources import Engines
from pipelines.running import derived, run_step


@derived(deps=["registration", "agg_pool_candle", "agg_token_price", "agg_heartbeat"], group_name="events")
def event_log(engines: Engines) -> dg.MaterializeResult[None]:
    """What happened to registered tokens, for those who want to be told. Events of who holds what are recorded with
    ``agg_token_hour``."""
    return run_step(engines, "events")
