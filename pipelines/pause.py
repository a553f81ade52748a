"""Keep everybody who writes to the warehouse away for a moment, at a point where nothing is half written.

The refresh and the serving lock keep derived tables and publications still, and the writer locks the facts. While they
are awaited, writers are asked to end their call after the unit at hand. A unit that a killed writer left is finished or
undone first, so the store vouches for what is in the warehouse and for nothing else.
"""

import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager

from indexer.checkpoint import read_checkpoint
from indexer.marking import mark_published
from indexer.run import settle
from pipelines.locks import refresh_lock, serving_lock, writer_stopped
from warehouse import advisory_locks, postgres
from warehouse.clickhouse import Warehouse
from warehouse.domain.chains import Chain
from warehouse.postgres import Connection


class WritersBusy(Exception):
    """A writer did not pause in time."""


@contextmanager
def all_writers_paused(
    store: Connection, warehouse: Warehouse, chains: Sequence[Chain], wait_seconds: float
) -> Iterator[None]:
    """Hold all locks during the block.

    Raises:
        WritersBusy: a chain's indexer did not pause within ``wait_seconds``.
        RefreshBusy: a refresh run did not end within as long.
    """
    deadline = time.monotonic() + wait_seconds
    indexed = {row["chain_id"] for row in postgres.run(store, "status/list_checkpoints")}
    # Also those that begin to be indexed at this moment.
    numbers = sorted(indexed | {chain.chain_id for chain in chains})
    with ExitStack() as held:
        held.enter_context(refresh_lock(store, wait_seconds))
        held.enter_context(serving_lock(store, wait_seconds))
        advisory_locks.acquire(store, advisory_locks.PAUSE)
        held.callback(advisory_locks.release, store, advisory_locks.PAUSE)
        for number in numbers:
            left = max(deadline - time.monotonic(), 1.0)
            if not held.enter_context(writer_stopped(store, number, left)):
                raise WritersBusy(f"the indexer of chain {number} did not pause within {wait_seconds:.0f} seconds")
        for number in sorted(indexed):
            mark_published(store, warehouse, settle(store, warehouse, read_checkpoint(store, number)))
        yield
