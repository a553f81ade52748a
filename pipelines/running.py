"""How every asset runs: one step of the refresh, retried, its figures shown."""

from collections.abc import Sequence
from datetime import timedelta
from functools import partial

import dagster as dg

from pipelines.refresh import refresh
from pipelines.resources import EngineAccess
from pipelines.run_log import AssetRun

RETRY = dg.RetryPolicy(max_retries=3, delay=5, backoff=dg.Backoff.EXPONENTIAL, jitter=dg.Jitter.FULL)
STALE_AFTER = timedelta(minutes=30)
FRESH = dg.FreshnessPolicy.time_window(fail_window=STALE_AFTER, warn_window=timedelta(minutes=15))
OWNERS = ["team:data"]
DERIVE_POOL = "derive"
"""Derive passes exclude each other in the store; the pool keeps runs from queueing up behind that."""


def chain_pool(chain_key: str) -> str:
    """The concurrency pool of what talks to one chain's nodes."""
    return f"chain_{chain_key}"


derived = partial(
    dg.asset, retry_policy=RETRY, pool=DERIVE_POOL, freshness_policy=FRESH, owners=OWNERS, kinds={"clickhouse"}
)
"""An asset that is a step of the refresh."""


def run_step(engines: EngineAccess, *steps: str) -> dg.MaterializeResult[None]:
    """Run steps of the refresh for all chains."""
    with engines.connect() as connections:
        return result(refresh(connections.warehouse, connections.store, connections.chains, steps=steps))


def result(runs: Sequence[AssetRun]) -> dg.MaterializeResult[None]:
    """What an asset shows of itself: rows, range, seconds."""
    ranges = [f"{run.range_from}..{run.range_to}" for run in runs if run.range_to]
    notes = [f"{run.chain_id}: {run.note}" for run in runs if run.note]
    return dg.MaterializeResult(
        metadata={
            "rows": dg.MetadataValue.int(sum(run.rows for run in runs)),
            "range": dg.MetadataValue.text(", ".join(ranges) or "nothing new"),
            "seconds": dg.MetadataValue.float(round(sum((run.seconds for run in runs), 0.0), 3)),
            "notes": dg.MetadataValue.text("; ".join(notes)),
        }
    )
