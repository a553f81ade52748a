"""Liquidity as Dagster runs it."""

import dagster as dg

from pipelines.resources import Engines
from pipelines.running import derived, run_step


@derived(deps=["agg_pool_candle"], group_name="liquidity")
def agg_pool_liquidity(engines: Engines) -> dg.MaterializeResult[None]:
    """What every pool holds, at its median state of the last minutes."""
    return run_step(engines, "liquidity")
