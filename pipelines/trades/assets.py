"""Trades as Dagster runs them."""

import dagster as dg

from pipelines.resources import Engines
from pipelines.running import derived, run_step


@derived(deps=["raw_block"], group_name="trades")
def agg_pool_candle(engines: Engines) -> dg.MaterializeResult[None]:
    """Five-minute candles of every pool."""
    return run_step(engines, "trades")
