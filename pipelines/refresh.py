"""Bringing every derived table up to date: the functions behind the followers, Dagster and ``regalia refresh``.

Two loops: one publishes new tokens within a second (:func:`publish_new_tokens`), the other recomputes metrics
(:func:`refresh`). They run at the same time and wait for each other only while served rows are written.
"""

import logging
from collections.abc import Callable, Sequence

from pipelines import publication
from pipelines.documents import derive as documents
from pipelines.documents import ranks
from pipelines.events import derive as events
from pipelines.heartbeats import derive as heartbeats
from pipelines.holders import derive as holders
from pipelines.liquidity import derive as liquidity
from pipelines.locks import try_refresh_lock, writer_paused
from pipelines.prices import derive as prices
from pipelines.provenance import derive as provenance
from pipelines.refresh_run import RefreshRun, open_refresh_run, open_serving_run
from pipelines.registrations import derive as registrations
from pipelines.run_log import AssetRun, OnAssetRun
from pipelines.tokenlists import derive as token_list
from pipelines.tokens import derive as tokens
from pipelines.trades import derive as trades
from pipelines.windows import ReorgDuringRefresh
from warehouse.clickhouse import Warehouse
from warehouse.domain.chains import Chain, Chains
from warehouse.postgres import Connection

log = logging.getLogger(__name__)

Step = Callable[[RefreshRun, Chain], AssetRun | None]

NEWS: dict[str, Step] = {"tokens": tokens.derive, "registrations": registrations.derive}
"""What says which tokens and registrations there are."""
FIGURES: dict[str, Step] = {
    "holders": holders.derive,
    "trades": trades.derive,
    "liquidity": liquidity.derive,
    "prices": prices.derive,
    "heartbeats": heartbeats.derive,
    "events": events.derive,
}
"""What is counted, summed and scored, and what subscribers are told of it."""
SERVED: dict[str, Step] = {"documents": documents.derive, "provenance": provenance.derive}
"""What writes served rows."""
STEPS: dict[str, Step] = {**NEWS, **FIGURES, **SERVED}
"""Every step of a chain, each after those whose tables it reads."""
_ATTEMPTS = 3


def publish_new_tokens(
    warehouse: Warehouse, store: Connection, chains: Chains, chain: Chain, *, wait_seconds: float = 30.0
) -> list[AssetRun]:
    """Make the chain's new and changed tokens and registrations findable. Their figures come with :func:`refresh`.

    Raises:
        RefreshBusy: another pass went on serving for so long.
        ReorgDuringRefresh: the chain was reorganised meanwhile; nothing was published.
    """
    with open_serving_run(warehouse, store, chains, wait_seconds=wait_seconds) as run:
        window = run.windows.open(tokens.SUBJECT, chain)
        if window is None:
            return []
        before = publication.read_publication_state(run)
        for step in NEWS.values():
            step(run, chain)
        if not before.unfinished:
            documents.derive_new_tokens(run, chain)
        else:
            # Moves the mark of the documents to this version. A pass that is making figures goes on asking for
            # documents under the lower version it began with, which nobody would look at again: that pass makes
            # things whole itself when it comes to serving.
            with try_refresh_lock(store) as alone:
                if not (alone and _make_whole(run)):
                    return run.log.entries
        run.windows.ensure_not_reorged(window)
        publication.publish(run, before, at_leisure=True)
        return run.log.entries


def refresh(
    warehouse: Warehouse,
    store: Connection,
    chains: Chains,
    *,
    chain_ids: Sequence[int] | None = None,
    on_asset_run: OnAssetRun | None = None,
    steps: Sequence[str] | None = None,
    full: bool = True,
    writer_wait_seconds: float = 10.0,
    wait_seconds: float = 60.0,
) -> list[AssetRun]:
    """Bring the derived tables of the chains (all, unless named) up to date with what is published, and publish them.

    Args:
        warehouse: the warehouse.
        store: the store; the pass commits as it goes.
        chains: the facts of the chains.
        chain_ids: the chains to look at.
        on_asset_run: called after each step that did something.
        steps: names of the steps to run, in the order of ``STEPS``; all by default.
        full: also look at what only time or the native coin's price has moved, and rank anew. The follower's
            passes leave that to every minute.
        writer_wait_seconds: how long to wait for the indexer to pause between units, while balances are read; the
            holders of a chain whose indexer does not are left out.
        wait_seconds: how long to wait for another pass.

    Raises:
        RefreshBusy: another pass is running and did not end in time.
        EventsFailed: events could not be recorded; all else is done and published.
    """
    chosen = [chain for chain in chains.by_key.values() if chain_ids is None or chain.chain_id in chain_ids]
    wanted = [name for name in (*STEPS, token_list.SUBJECT) if steps is None or name in steps]
    with open_refresh_run(
        warehouse, store, chains, full=full, on_asset_run=on_asset_run, wait_seconds=wait_seconds
    ) as run:
        for chain in chosen:
            _make_figures(run, chain, wanted, writer_wait_seconds, wait_seconds)
        with run.serving(wait_seconds):
            before = publication.read_publication_state(run)
            if before.unfinished:
                whole = _make_whole(run)
            else:
                whole = all(_serve(run, chain, wanted) for chain in chosen)
                if whole and "documents" in wanted and _has_swept(run, chosen):
                    ranks.derive(run)
            if whole:
                publication.publish(run, before)
        if token_list.SUBJECT in wanted:
            token_list.derive(run)
        if run.failures:
            raise events.EventsFailed(f"{len(run.failures)} times events could not be recorded") from run.failures[0]
        return run.log.entries


def _make_whole(run: RefreshRun) -> bool:
    """Finish what a pass left that died, or gave up, while it served: of every chain and with every step, since nobody
    knows how far it came. Nothing is published over it before; says whether it is whole."""
    whole = all(_serve(run, chain, list(SERVED)) for chain in run.chains.by_key.values())
    if whole:
        ranks.derive(run)
    return whole


def _make_figures(
    run: RefreshRun, chain: Chain, wanted: Sequence[str], writer_wait_seconds: float, wait_seconds: float
) -> None:
    """News and figures of one chain; begun again when a reorganisation comes in between."""
    for _ in range(_ATTEMPTS):
        try:
            run.reload(chain)
            if run.windows.open(tokens.SUBJECT, chain) is None:
                return
            with run.serving(wait_seconds):
                run.reload(chain)
                for name, step in NEWS.items():
                    if name in wanted:
                        step(run, chain)
            if "holders" in wanted:
                _count_holders(run, chain, writer_wait_seconds)
            for name, step in FIGURES.items():
                if name in wanted and name != "holders":
                    step(run, chain)
            return
        except ReorgDuringRefresh as error:
            log.info("%s; looking again", error)
    run.log.record(AssetRun("refresh", chain.chain_id, 0.0, 0, note="the chain goes on being reorganised"))


def _serve(run: RefreshRun, chain: Chain, wanted: Sequence[str]) -> bool:
    """What is served of one chain; likewise begun again, under a version of its own. False: it was overtaken again and
    again, and its rows are of no one state."""
    for _ in range(_ATTEMPTS):
        try:
            run.reload(chain)
            for name, step in SERVED.items():
                if name in wanted:
                    step(run, chain)
            return True
        except ReorgDuringRefresh as error:
            log.info("%s; looking again", error)
            run.allocate_version()
    run.log.record(AssetRun("refresh", chain.chain_id, 0.0, 0, note="the chain goes on being reorganised"))
    return False


def _count_holders(run: RefreshRun, chain: Chain, wait_seconds: float) -> None:
    """Balances are those of the published block only while nobody writes; all figures are then of that block."""
    with writer_paused(run.store, chain, wait_seconds) as held:
        run.reload(chain)
        window = run.windows.open(holders.SUBJECT, chain)
        if held and window is not None and window.sums_settled:
            holders.derive(run, chain)
            events.derive_holdings(run, chain)
            return
    log.warning("chain %s is being written; its holders follow with the next pass", chain.key)
    run.log.record(AssetRun("holders", chain.chain_id, 0.0, 0, note="the chain is being written"))


def _has_swept(run: RefreshRun, chosen: Sequence[Chain]) -> bool:
    """Whether market figures were swept, which is when ranks are worth making again."""
    if run.full:
        return any(run.windows.open(tokens.SUBJECT, chain) is not None for chain in chosen)
    return any(made.asset == "prices" and made.note == "sweep" for made in run.log.entries)
