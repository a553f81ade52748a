"""How every asset runs: retried, in a pool, with rows, range and seconds as metadata."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import dagster as dg

from pipelines.run_log import StepRun

RETRY = dg.RetryPolicy(max_retries=3, delay=5, backoff=dg.Backoff.EXPONENTIAL, jitter=dg.Jitter.FULL)
STALE_AFTER = timedelta(minutes=30)
FRESH = dg.FreshnessPolicy.time_window(fail_window=STALE_AFTER, warn_window=timedelta(minutes=15))
OWNERS = ["team:data"]
DERIVE_POOL = "derive"
"""Refresh runs of a chain exclude each other by a lock in the store. The pool keeps Dagster's from queueing for it."""


def chain_pool(chain_key: str) -> str:
    """The concurrency pool of what talks to one chain's nodes."""
    return f"chain_{chain_key}"


def result(runs: Sequence[StepRun]) -> dg.MaterializeResult[None]:
    """The materialisation that these runs are."""
    return dg.MaterializeResult(metadata=run_metadata(runs))


def run_metadata(runs: Sequence[StepRun]) -> dict[str, dg.MetadataValue[Any]]:
    """The metadata of a materialisation: rows that were written, range, seconds and notes."""
    ranges = [f"{run.range_from}..{run.range_to}" for run in runs if run.range_to]
    notes = [f"{run.chain_id}: {run.note}" for run in runs if run.note]
    return {
        "rows": dg.MetadataValue.int(sum(run.rows for run in runs)),
        "range": dg.MetadataValue.text(", ".join(ranges) or "nothing new"),
        "seconds": dg.MetadataValue.float(round(sum((run.seconds for run in runs), 0.0), 3)),
        "notes": dg.MetadataValue.text("; ".join(notes)),
    }
