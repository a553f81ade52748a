"""Provenance as Dagster runs it."""

import dagster as dg

from pipelines.resources import Engines
from pipelines.running import derived, run_step


@derived(deps=["serve_token"], group_name="provenance")
def serve_provenance(engines: Engines) -> dg.MaterializeResult[None]:
    """Which wallet controls which token, and how."""
    return run_step(engines, "provenance")
