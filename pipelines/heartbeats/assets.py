"""Heartbeats as Dagster runs them: by the hour."""

import dagster as dg

from pipelines.assets import table_spec
from pipelines.heartbeats.derive import HOUR_SECONDS, SUBJECT
from pipelines.heartbeats.derive import score_hours as score_closed
from pipelines.partitions import hours
from pipelines.refresh_run import open_refresh_run
from pipelines.resources import Connections, Engines
from pipelines.run_log import StepRun, timed
from pipelines.running import DERIVE_POOL, RETRY, result
from warehouse.domain.chains import Chain


@dg.multi_asset(
    name="agg_heartbeat",
    specs=[table_spec("agg_heartbeat", partitions_def=hours)],
    retry_policy=RETRY,
    pool=DERIVE_POOL,
)
def agg_heartbeat(context: dg.AssetExecutionContext, engines: Engines) -> dg.MaterializeResult[None]:
    """Score one hour of every chain."""
    span = context.partition_time_window
    first, end = int(span.start.timestamp()), int(span.end.timestamp())
    with engines.connect() as connections:
        return result(score_hours(connections, first, end))


def score_hours(connections: Connections, first: int, end: int) -> list[StepRun]:
    """Score the closed hours between two moments for every chain that has reached them."""
    runs: list[StepRun] = []
    for chain in connections.chains.by_key.values():
        if chain.has_heartbeats:
            runs += _score_hours_of(connections, chain, first, end)
    return runs


def _score_hours_of(connections: Connections, chain: Chain, first: int, end: int) -> list[StepRun]:
    with open_refresh_run(connections.warehouse, connections.store, connections.chains, chain_id=chain.chain_id) as run:
        window = run.windows.open(SUBJECT, chain)
        if window is None:
            return []
        reached = int(window.as_of.timestamp()) // HOUR_SECONDS * HOUR_SECONDS
        closed = range(first, min(end, reached), HOUR_SECONDS)
        rows, seconds = timed(lambda: score_closed(run, window, closed))
        if closed:
            run.log.record(StepRun("heartbeats", chain.chain_id, seconds, rows, str(closed[0]), str(closed.stop)))
        return run.log.entries
