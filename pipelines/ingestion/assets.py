"""Ingestion in Dagster: the head of each chain, and past windows, which are repaired from the chain."""

import time
from contextlib import closing

import dagster as dg

from indexer.chains.kinds import open_source
from indexer.reindex import DifferentChain, Reindexed, reindex
from indexer.run import Advance, IndexContext, advance
from pipelines.assets import head_of, node_of, table_spec
from pipelines.ingestion.windows import audit_window
from pipelines.partitions import block_windows, missing_windows, window_blocks
from pipelines.resources import Connections, Engines, configured_chains
from pipelines.run_log import StepRun
from pipelines.running import FRESH, OWNERS, RETRY, chain_pool, result
from pipelines.step import Group
from warehouse import postgres
from warehouse.domain.chains import Chain


def head_asset(chain: Chain) -> dg.AssetsDefinition:
    """The head of one chain: indexes what the follower would, in case none runs."""

    @dg.asset(
        name=head_of(chain),
        deps=[node_of(chain)],
        group_name=Group.CHAIN_FACTS.value,
        kinds={"json_rpc"},
        retry_policy=RETRY,
        pool=chain_pool(chain.key),
        owners=OWNERS,
        freshness_policy=FRESH,
        description=f"{chain.name} indexed to its head. Does nothing while a follower indexes it.",
    )
    def head(context: dg.AssetExecutionContext, engines: Engines) -> dg.MaterializeResult[None]:
        started = time.perf_counter()
        with (
            engines.connect() as connections,
            closing(IndexContext(connections.warehouse, connections.urls.database_url)) as indexing,
        ):
            done = advance(indexing, chain)
            published = _published_block(connections, chain)
        new = missing_windows(context.instance, chain, published) if published is not None else []
        if new:
            context.instance.add_dynamic_partitions(str(block_windows.name), new)
        return result([_account(chain, done, time.perf_counter() - started)])

    return head


@dg.multi_asset(
    name="raw_block",
    specs=[
        table_spec(
            "raw_block",
            deps=[head_of(chain) for chain in configured_chains()],
            partitions_def=block_windows,
            freshness_policy=FRESH,
        )
    ],
    retry_policy=RETRY,
)
def raw_block(context: dg.AssetExecutionContext, engines: Engines) -> dg.MaterializeResult[None]:
    """A window of a chain's blocks: indexed if needed, fetched again, compared with what is stored, and repaired."""
    chain_key, first, last = window_blocks(context.partition_key)
    started = time.perf_counter()
    with engines.connect() as connections:
        chain = connections.chains.by_key[chain_key]
        if not chain.enabled:
            raise dg.Failure(f"chain {chain.key} has no rpc_urls", allow_retries=False)
        with closing(IndexContext(connections.warehouse, connections.urls.database_url)) as indexing:
            done = advance(indexing, chain, to_block=last)
            reached = _published_block(connections, chain)
            first = max(first, chain.start_block)
            if reached is None or reached < first:
                raise dg.Failure(
                    f"{chain.key} is indexed to block {reached}, the window begins at {first}"
                    + ("; another indexer is running" if done.busy else "")
                )
            last = min(last, reached)
            repaired = _reindex(indexing, chain, first, last)
        with closing(open_source(chain)) as source:
            audit = audit_window(connections.warehouse, source, chain, first, last)
    if not audit.holds:
        raise dg.Failure(
            f"{len(audit.differing)} blocks of {chain.key} differ from the chain and {len(audit.missing)} are missing",
            metadata={"differing": str(audit.differing[:20]), "missing": str(audit.missing[:20])},
            allow_retries=False,
        )
    seconds = time.perf_counter() - started
    note = "; ".join(repaired.lines()) if repaired.differs else ""
    return result([StepRun("raw_block", chain.chain_id, seconds, audit.compared, str(first), str(last), note)])


def _reindex(indexing: IndexContext, chain: Chain, first: int, last: int) -> Reindexed:
    try:
        repaired = reindex(indexing, chain, first, last)
    except DifferentChain as error:
        raise dg.Failure(str(error), allow_retries=False) from error
    if repaired.busy:
        raise dg.Failure(f"another indexer of {chain.key} did not pause; compared up to block {repaired.last}")
    return repaired


def _published_block(connections: Connections, chain: Chain) -> int | None:
    """The block up to which the chain is indexed, whoever indexed it."""
    found = postgres.run(connections.store, "ingestion/find_block", {"chain_id": chain.chain_id})
    return int(found[0]["block_number"]) if found else None


def _account(chain: Chain, done: Advance, seconds: float) -> StepRun:
    note = "a follower is indexing" if done.busy else ""
    first = "" if done.published is None else str(done.published - done.blocks + 1)
    return StepRun(head_of(chain), chain.chain_id, seconds, done.rows, first, str(done.published or ""), note)
