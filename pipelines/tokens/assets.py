"""Tokens as Dagster runs them."""

import dagster as dg

from pipelines.resources import Engines
from pipelines.running import derived, run_step


@derived(deps=["raw_block"], group_name="tokens")
def agg_token(engines: Engines) -> dg.MaterializeResult[None]:
    """Identity, creation and control of every token."""
    return run_step(engines, "tokens")
