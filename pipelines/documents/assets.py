"""Search documents as Dagster runs them."""

import dagster as dg

from pipelines.resources import Engines
from pipelines.running import derived, run_step


@derived(
    deps=["agg_token", "agg_token_hour", "agg_token_price", "registration", "agg_heartbeat"], group_name="documents"
)
def serve_token(engines: Engines) -> dg.MaterializeResult[None]:
    """What search answers with: token rows, symbols, their forms, ranks; published as one version."""
    return run_step(engines, "documents")
