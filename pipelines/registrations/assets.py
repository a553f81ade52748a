"""Registrations as Dagster runs them."""

import dagster as dg

from pipelines.resources import Engines
from pipelines.running import derived, run_step


@derived(deps=["raw_block"], group_name="registrations")
def registration(engines: Engines) -> dg.MaterializeResult[None]:
    """The registry's events as the store's registrations."""
    return run_step(engines, "registrations")
