"""Bringing every derived table up to date: the one function behind the follower, Dagster and ``regalia refresh``."""

import logging
from collections.abc import Callable, Sequence

from indexer.chains.facts import Chain, Chains
from pipelines import publication
from pipelines.derivation import AssetRun, DerivePass, Progress, Store, derive_pass, writer_kept_out
from pipelines.documents import derive as documents
from pipelines.documents import ranks
from pipelines.heartbeats import derive as heartbeats
from pipelines.holders import derive as holders
from pipelines.liquidity import derive as liquidity
from pipelines.prices import derive as prices
from pipelines.provenance import derive as provenance
from pipelines.registrations import derive as registrations
from pipelines.tokens import derive as tokens
from pipelines.trades import derive as trades
from warehouse.clickhouse import Warehouse

log = logging.getLogger(__name__)

Step = Callable[[DerivePass, Chain], AssetRun | None]

STEPS: dict[str, Step] = {
    "tokens": tokens.derive,
    "holders": holders.derive,
    "trades": trades.derive,
    "liquidity": liquidity.derive,
    "prices": prices.derive,
    "registrations": registrations.derive,
    "heartbeats": heartbeats.derive,
    "documents": documents.derive,
    "provenance": provenance.derive,
}
"""Every step of a chain, each after those whose tables it reads."""


def refresh(
    warehouse: Warehouse,
    store: Store,
    chains: Chains,
    *,
    chain_ids: Sequence[int] | None = None,
    progress: Progress | None = None,
    steps: Sequence[str] | None = None,
    thorough: bool = True,
    writer_wait_seconds: float | None = 10.0,
    wait_seconds: float = 60.0,
) -> list[AssetRun]:
    """Bring the derived tables of the chains (all, unless named) up to date with what is published, and publish them.

    Args:
        warehouse: the warehouse.
        store: the store; the pass commits as it goes.
        chains: the facts of the chains.
        chain_ids: the chains to look at.
        progress: called after each step that did something.
        steps: names of the steps to run, in the order of ``STEPS``; all by default.
        thorough: also look at what only time or the native coin's price has moved, and rank anew. The follower's
            passes leave that to every minute.
        writer_wait_seconds: how long to wait for the indexer to pause between units; a chain whose indexer does not is
            left out. None: the caller is the writer, and pauses by calling.
        wait_seconds: how long to wait for another derive pass.

    Raises:
        PassBusy: another pass is running and did not end in time.
    """
    chosen = [chain for chain in chains.by_key.values() if chain_ids is None or chain.chain_id in chain_ids]
    with derive_pass(warehouse, store, chains, thorough=thorough, progress=progress, wait_seconds=wait_seconds) as run:
        swept = False
        for chain in chosen:
            if writer_wait_seconds is None:
                swept |= _refresh_chain(run, chain, steps)
                continue
            if run.window(tokens.SUBJECT, chain) is None:
                continue
            with writer_kept_out(store, chain, writer_wait_seconds) as held:
                if not held:
                    log.warning("chain %s is being written; its derived tables follow with the next pass", chain.key)
                    run.record(AssetRun("refresh", chain.chain_id, 0.0, 0, note="the chain is being written"))
                    continue
                run.look_again(chain)
                swept |= _refresh_chain(run, chain, steps)
        if swept and (steps is None or "documents" in steps):
            ranks.derive(run)
        publication.publish(run)
        return run.runs


def _refresh_chain(run: DerivePass, chain: Chain, steps: Sequence[str] | None) -> bool:
    """Run the steps; says whether market figures were swept, which is when ranks are worth making again."""
    for name, step in STEPS.items():
        if steps is None or name in steps:
            step(run, chain)
    return run.thorough or any(made.asset == "prices" and made.note == "sweep" for made in run.runs)
