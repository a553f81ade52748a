"""Index one chain up to its head, once or forever.

``advance`` is the only function that ingests. The command, the follower and Dagster all call it, and the chain's writer
lock lets one of them work at a time.
"""

import logging
import threading
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial

from indexer.chains.errors import ChainMoved, RpcError
from indexer.chains.source import Head
from indexer.checkpoint import (
    Checkpoint,
    CheckpointMoved,
    forget_final_block,
    read_checkpoint,
    record_head,
    set_halted,
    writer_lock,
)
from indexer.configuring import store_configuration
from indexer.estimate import Outline
from indexer.marking import mark_published
from indexer.months import split_by_month
from indexer.prefetch import Signals, assemble_ahead, fetch_ahead, gather_units
from indexer.publish import publish, recover
from indexer.reorg import ChainHalted, find_ancestor, finish_pending, halt, is_on_chain, revert_to
from indexer.session import ChainSession, IndexContext
from indexer.unit import AssembledUnit
from warehouse import advisory_locks
from warehouse.clickhouse import Warehouse
from warehouse.domain.chains import Chain
from warehouse.errors import StoreUnavailable, WarehouseUnavailable
from warehouse.kept_transfers import kept_transfers
from warehouse.postgres import Connection
from warehouse.process_memory import release_free_memory
from warehouse.tracing import trace

__all__ = ["Advance", "ChainSession", "IndexContext", "IndexProgress", "ReportProgress", "advance", "follow", "rewind"]

LOG = logging.getLogger(__name__)

# How often analysts' views are updated while units are published one after another.
_MARK_SECONDS = 1.0
# How often a writer looks whether somebody needs it to pause, and how long it then waits for the lock.
_LOOK_SECONDS = 1.0
_PAUSED_SECONDS = 60.0
# How many times blocks that do not follow each other are taken for a reorganisation that happened while we read.
_RESTARTS = 10


@dataclass(frozen=True, slots=True)
class Advance:
    """What one call did. ``busy``: another writer has the chain, and nothing was done."""

    blocks: int = 0
    rows: int = 0
    events: int = 0
    reorganised: int = 0
    head: int | None = None
    published: int | None = None
    busy: bool = False
    gave_way: bool = False
    """It ended early because somebody needs the chain's writer to pause."""

    def then(self, later: "Advance") -> "Advance":
        """What this call and a later one did."""
        return replace(
            later,
            blocks=self.blocks + later.blocks,
            rows=self.rows + later.rows,
            events=self.events + later.events,
            reorganised=self.reorganised + later.reorganised,
        )


@dataclass(frozen=True, slots=True)
class IndexProgress:
    """How far a running call is: from block ``first`` to ``target``, with what it has published so far."""

    first: int
    target: int
    published: int
    rows: int
    events: int
    seconds: float
    share: float | None = None
    """Of the work that is done, where the source tells how full blocks are."""


ReportProgress = Callable[[IndexProgress], None]


def advance(
    context: IndexContext, chain: Chain, *, to_block: int | None = None, progress: ReportProgress | None = None
) -> Advance:
    """Index ``chain`` up to its head, or up to ``to_block``, reverting blocks that a reorganisation removed.

    Raises:
        ChainHalted: the chain was stopped, now or earlier, by a reorganisation beyond finality.
        WrongChain: the node serves another chain; nothing was written.
        RpcError: the nodes failed for longer than ``patience_seconds``; what is published stays.
    """
    done = _advance(context, chain, to_block, progress)
    give_up = time.monotonic() + _PAUSED_SECONDS
    while done.gave_way and time.monotonic() < give_up:
        time.sleep(0.05)
        more = _advance(context, chain, to_block, progress)
        if not more.busy:
            done, give_up = done.then(more), time.monotonic() + _PAUSED_SECONDS
    return done


def _advance(context: IndexContext, chain: Chain, to_block: int | None, progress: ReportProgress | None) -> Advance:
    session = context.session(chain)
    with writer_lock(session.line, chain.chain_id) as store:
        if store is None:
            return Advance(busy=True)
        try:
            done = _Run(context, session, store, progress).to(to_block)
            if done.blocks > context.limits.unit_blocks:
                release_free_memory()  # catching up needs more memory than following the head
            return done
        except CheckpointMoved:
            session.forget()
            return Advance(busy=True)
        except BaseException:  # an interrupt too: the session may have learned from a unit that was never published
            session.forget()
            raise
        finally:
            session.counts.finish_call(store)


def rewind(context: IndexContext, chain: Chain, block: int) -> Advance:
    """Revert everything after ``block``, final or not, and let a halted chain continue.

    Raises:
        TransfersDropped: the chain's retention has dropped transfers that would be taken from the sums.
    """
    session = context.session(chain)
    with writer_lock(session.line, chain.chain_id) as store:
        if store is None:
            return Advance(busy=True)
        session.forget()
        # Under the lock: what goes is recorded while no writer holds it.
        kept_transfers(context.warehouse, chain.chain_id).ensure_from(block + 1, f"reverting to block {block}")
        try:
            checkpoint = settle(store, context.warehouse, read_checkpoint(store, chain.chain_id))
            before = checkpoint.block_number
            checkpoint = revert_to(store, context.warehouse, checkpoint, block)
            forget_final_block(store, chain.chain_id)
            checkpoint = set_halted(store, checkpoint, None)
        except CheckpointMoved:
            return Advance(busy=True)
        reverted = (before or 0) - (checkpoint.block_number or 0)
        return Advance(reorganised=reverted, published=checkpoint.block_number)


@dataclass(slots=True)
class _Run:
    """One call of ``advance`` while it holds the writer lock."""

    context: IndexContext
    session: ChainSession
    store: Connection
    progress: ReportProgress | None
    blocks: int = 0
    rows: int = 0
    events: int = 0
    reorganised: int = 0
    outline: Outline | None = None
    started: float = field(default_factory=time.monotonic)
    marked_at: float = field(default_factory=time.monotonic)
    looked_at: float = field(default_factory=time.monotonic)
    gave_way: bool = False

    def to(self, to_block: int | None) -> Advance:
        """Recover, follow reorganisations, index."""
        chain_id = self.session.chain.chain_id
        checkpoint = read_checkpoint(self.store, chain_id)
        if checkpoint.generation != self.session.generation:
            self.session.forget()
        checkpoint = settle(self.store, self.context.warehouse, checkpoint)
        self._mark(checkpoint)  # the last writer may have died before doing so
        if checkpoint.halted is not None:
            raise ChainHalted(checkpoint.halted)
        head = Head(-1, -1)
        for attempt in range(_RESTARTS):
            head = self.session.source.head()
            checkpoint = self._follow_reorganisation(checkpoint, head)
            record_head(self.store, chain_id, head.number, head.final)
            target = head.number if to_block is None else min(head.number, to_block)
            try:
                checkpoint = self._index(checkpoint, target, head.final)
                break
            except ChainMoved as error:
                self.session.forget()
                checkpoint = read_checkpoint(self.store, chain_id)
                if attempt == _RESTARTS - 1:
                    raise
                LOG.info("chain %d: looking again after: %s", chain_id, error)
                time.sleep(min(0.05 * 2**attempt, 2.0))
        self.session.generation = checkpoint.generation
        self._mark(checkpoint)
        return Advance(
            self.blocks,
            self.rows,
            self.events,
            self.reorganised,
            head.number,
            checkpoint.block_number,
            gave_way=self.gave_way,
        )

    def _follow_reorganisation(self, checkpoint: Checkpoint, head: Head) -> Checkpoint:
        chain, source, warehouse = self.session.chain, self.session.source, self.context.warehouse
        if is_on_chain(source, warehouse, checkpoint, head):
            return checkpoint
        ancestor = find_ancestor(source, chain, warehouse, checkpoint, head)
        if ancestor is None:
            raise halt(self.store, checkpoint, chain)
        if checkpoint.block_number is not None and ancestor >= checkpoint.block_number:
            return checkpoint  # the node changed its answer meanwhile
        before = checkpoint.block_number or 0
        self.session.forget()
        checkpoint = revert_to(self.store, warehouse, checkpoint, ancestor)
        self.reorganised += before - ancestor
        self.session.counts.count_reorganisation(before - ancestor)
        source.counters["reorganisations"] += 1
        return checkpoint

    def _index(self, checkpoint: Checkpoint, target: int, final: int) -> Checkpoint:
        first = self.session.chain.start_block if checkpoint.block_number is None else checkpoint.block_number + 1
        source, limits, origin = self.session.source, self.context.limits, first
        if self.progress is not None:
            self.outline = Outline.of(first, target, source.fullness)
        signals = Signals()
        ahead = fetch_ahead(source, self.session.pool, self.session.size, limits, first, target, final, signals.stopped)
        chunks = gather_units(ahead, target, final, limits, signals)
        assemble = partial(source.assemble, known=self.session.known)
        with closing(assemble_ahead(chunks, assemble, self.session.assembling, signals)) as units:
            for unit in (part for assembled in units for part in split_by_month(assembled)):
                checkpoint = self._publish(checkpoint, unit)
                if time.monotonic() - self.marked_at >= _MARK_SECONDS:
                    self._mark(checkpoint)
                self._report(origin, target, checkpoint)
                if self._must_give_way():
                    break
        return checkpoint

    def _must_give_way(self) -> bool:
        """Whether somebody needs all writers to pause, such as a backup: a call that catches up may last for hours."""
        if time.monotonic() - self.looked_at >= _LOOK_SECONDS:
            self.looked_at = time.monotonic()
            self.gave_way = advisory_locks.is_held(self.store, advisory_locks.PAUSE)
        return self.gave_way

    def _mark(self, checkpoint: Checkpoint) -> None:
        if self.session.marked != checkpoint.generation:
            if self.session.marked < 0:
                store_configuration(self.context.warehouse, self.session.chain)
            mark_published(self.store, self.context.warehouse, checkpoint)
            self.session.marked = checkpoint.generation
            self.marked_at = time.monotonic()

    def _publish(self, checkpoint: Checkpoint, assembled: AssembledUnit) -> Checkpoint:
        blocks = assembled.blocks
        if checkpoint.block_hash is not None and blocks.parent_hash != checkpoint.block_hash:
            raise ChainMoved(f"block {blocks.first} does not follow the published one")
        began = time.monotonic()
        with trace("unit", {"chain": self.session.chain.key, "blocks": len(blocks)}) as traced:
            checkpoint, counts = publish(self.store, self.context.warehouse, checkpoint, assembled)
            rows = sum(counts.values())
            self.blocks += len(blocks)
            self.rows += rows
            self.events += assembled.event_count
            self.session.counts.count_unit(len(blocks), rows, assembled.event_count)
            self.session.counts.write_when_due(self.store)
            traced.set({"rows": rows, "events": assembled.event_count})
            self._log(checkpoint, assembled, rows, time.monotonic() - began)
        return checkpoint

    def _log(self, checkpoint: Checkpoint, assembled: AssembledUnit, rows: int, seconds: float) -> None:
        """One line a unit: what it holds and how long it was written. The rate is the whole call's, with fetching."""
        since = time.monotonic() - self.started
        fields = {
            "chain": self.session.chain.key,
            "first_block": assembled.blocks.first,
            "last_block": checkpoint.block_number,
            "blocks": len(assembled.blocks),
            "events": assembled.event_count,
            "rows": rows,
            "seconds": round(seconds, 3),
            "events_per_second": round(self.events / since) if since > 0 else 0,
        }
        LOG.info("unit published", extra=fields)

    def _report(self, first: int, target: int, checkpoint: Checkpoint) -> None:
        if self.progress is not None:
            seconds = time.monotonic() - self.started
            published = checkpoint.block_number if checkpoint.block_number is not None else first - 1
            share = self.outline.share(published) if self.outline is not None else None
            self.progress(IndexProgress(first, target, published, self.rows, self.events, seconds, share))


def settle(store: Connection, warehouse: Warehouse, checkpoint: Checkpoint) -> Checkpoint:
    """Undo or finish whatever an earlier writer left pending."""
    return finish_pending(store, warehouse, recover(store, warehouse, checkpoint))


def follow(
    context: IndexContext,
    chain: Chain,
    stop: threading.Event,
    *,
    progress: ReportProgress | None = None,
    after: Callable[[Advance], None] | None = None,
) -> None:
    """Keep ``chain`` at its head until ``stop`` is set, and retry after failures that can pass.

    Raises:
        ChainHalted: an operator has to decide.
    """
    pause = min(max(chain.block_seconds / 4, 0.1), 2.0)
    failures = 0
    while not stop.is_set():
        try:
            done = advance(context, chain, progress=progress)
            failures = 0
            if after is not None:
                after(done)
        except (RpcError, WarehouseUnavailable, StoreUnavailable) as error:
            failures += 1
            LOG.error("chain %s: %s: %s", chain.key, type(error).__name__, error)
        stop.wait(pause if failures == 0 else min(0.5 * 2**failures, 30.0))
