"""Fetch a range of blocks again, compare it with what is stored, and repair what differs.

Unit by unit, under the chain's writer lock, while the service serves; between units the chain's follower may write. A
repair is recorded as ``pending`` before its first change, and what it touches is announced before its first row, so a
repair that is killed leaves nothing that a second run does not find (``docs/decisions/0052-repair.md``).
"""

import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from indexer.checkpoint import Unit, find_unit_reaching, read_checkpoint, writer_lock
from indexer.comparison import Differences, compare
from indexer.known import Known
from indexer.months import split_by_month
from indexer.plan import RangeSize
from indexer.prefetch import fetch_ahead
from indexer.repair import repair
from indexer.run import IndexProgress, ReportProgress, settle
from indexer.session import ChainSession, IndexContext
from indexer.unit import AssembledUnit
from indexer.write import SUMS
from warehouse.domain.chains import Chain
from warehouse.kept_transfers import kept_transfers
from warehouse.postgres import Connection

_WRITER_WAIT_SECONDS = 60.0


class DifferentChain(Exception):
    """The node has other blocks than those that were published: a reorganisation is no damage to repair."""


@dataclass(slots=True)
class Reindexed:
    """What one call compared and found. ``busy``: another writer kept the chain, and the rest was not compared.

    Attributes:
        first: the first block that was compared: whole units are, so it may lie before the one asked for.
        last: the last one, likewise.
        missing: rows of the chain that were not stored, by table.
        surplus: stored rows that the chain does not have, by table.
        sums: balance changes of a day that did not equal the day's transfers.
    """

    first: int | None = None
    last: int | None = None
    blocks: int = 0
    events: int = 0
    missing: Counter[str] = field(default_factory=Counter)
    surplus: Counter[str] = field(default_factory=Counter)
    sums: int = 0
    busy: bool = False

    @property
    def differs(self) -> bool:
        """Whether anything was not as the chain has it."""
        return bool(self.missing or self.surplus or self.sums)

    def lines(self) -> list[str]:
        """What differed, a line for each table."""
        tables = sorted({*self.missing, *self.surplus})
        found = [
            f"{table}: {self.missing[table]} rows missing, {self.surplus[table]} not on the chain" for table in tables
        ]
        sums = [f"{SUMS}: {self.sums} sums of a day were not those of its transfers"] if self.sums else []
        return found + sums or ["nothing differs"]

    def add(self, part: AssembledUnit, found: Differences) -> None:
        """Count what was found in one more part of the range."""
        self.first = part.blocks.first if self.first is None else self.first
        self.last = part.blocks.last
        self.blocks += len(part.blocks)
        self.events += part.event_count
        self.missing.update(found.missing)
        self.surplus.update({table: len(rows) for table, rows in found.surplus.items()})
        self.sums += found.sums


def reindex(
    context: IndexContext,
    chain: Chain,
    first: int,
    last: int,
    *,
    dry_run: bool = False,
    progress: ReportProgress | None = None,
) -> Reindexed:
    """Compare the published units that hold blocks ``first`` to ``last`` with the chain, and repair what differs.

    Args:
        context: the engines.
        chain: the chain.
        first: number of the first block.
        last: number of the last block. Blocks that are not published are left to the indexer.
        dry_run: only compare.
        progress: called after each part; its rows and events are those compared.

    Raises:
        DifferentChain: the node's blocks are not those that were published.
        NodeLied: a node leaves out parts of these blocks, which a repair would delete.
        RpcError: the nodes failed; what is repaired stays.
        TransfersDropped: the chain's retention has dropped transfers of these blocks.
    """
    session = context.session(chain)
    done = Reindexed()
    at, started = first, time.monotonic()
    while at <= last:
        with _writer(context, chain) as store:
            if store is None:
                done.busy = True
                return done
            checkpoint = settle(store, context.warehouse, read_checkpoint(store, chain.chain_id))
            unit = find_unit_reaching(store, chain.chain_id, at)
            if unit is None or unit.first > last:
                return done
            # Under the lock: what goes is recorded while no writer holds it.
            kept = kept_transfers(context.warehouse, chain.chain_id)
            kept.ensure_from(unit.first, f"comparing block {at} with the chain")
            for part in split_by_month(_assemble_again(context, session, unit)):
                with compare(context.warehouse, chain, unit.unit_id, part) as found:
                    done.add(part, found)
                    if found.any and not dry_run:
                        checkpoint = repair(store, context.warehouse, checkpoint, unit.unit_id, part, found)
                if progress is not None:
                    seconds = time.monotonic() - started
                    progress(IndexProgress(first, last, min(part.blocks.last, last), done.events, done.events, seconds))
        at = unit.last + 1
    return done


def _assemble_again(context: IndexContext, session: ChainSession, unit: Unit) -> AssembledUnit:
    fetching = fetch_ahead(
        session.source, session.pool, RangeSize(context.limits), context.limits, unit.first, unit.last, unit.last,
        threading.Event(),
    )  # fmt: skip
    chunks = list(fetching)
    session.source.require_complete(chunks)
    # Rows depend on what was known before them, not on what is stored of them and of later blocks.
    known = Known(context.warehouse, session.chain.chain_id, before=unit.first)
    assembled = session.source.assemble(chunks, known)
    if assembled.blocks.last != unit.last or assembled.blocks.last_hash != unit.last_hash:
        raise DifferentChain(
            f"block {unit.last} of {session.chain.key} was published with the hash 0x{unit.last_hash.hex()}, and the"
            f" node has 0x{assembled.blocks.last_hash.hex()}. Check the node; if its chain is the right one, run"
            f" `regalia index --chain {session.chain.key} --rewind {unit.first - 1}`."
        )
    return assembled


@contextmanager
def _writer(context: IndexContext, chain: Chain) -> Iterator[Connection | None]:
    """The chain's writer lock, waiting for a follower to pause between two units."""
    give_up = time.monotonic() + _WRITER_WAIT_SECONDS
    while True:
        with writer_lock(context.session(chain).line, chain.chain_id) as store:
            if store is not None or time.monotonic() >= give_up:
                yield store
                return
        time.sleep(0.05)
