"""Prices as Dagster runs them."""

import dagster as dg

from pipelines.resources import Engines
from pipelines.running import derived, run_step


@derived(deps=["agg_pool_liquidity", "agg_token"], group_name="prices")
def agg_token_price(engines: Engines) -> dg.MaterializeResult[None]:
    """Prices, volumes, liquidity and changes of every token, and the native coin's price."""
    return run_step(engines, "prices")
