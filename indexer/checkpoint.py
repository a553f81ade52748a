"""How far each chain is: one row in the store, moved by compare-and-set, and units recorded beside it.

The row's ``pending`` says what was begun and not finished, so that whoever comes next after a crash knows what to
undo or repeat. One writer a chain is kept by an advisory lock; the compare-and-set on ``generation`` holds even
when the lock was lost without our noticing.
"""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from warehouse import postgres
from warehouse.errors import StoreUnavailable
from warehouse.postgres import Connection, Jsonb

LOCK_CLASS = 821
_UNASKED_SECONDS = 5.0
Store = Connection


class CheckpointMoved(Exception):
    """Somebody else moved the checkpoint: our view of the chain is out of date, and nothing was changed by us."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The row of one chain. ``block_number`` is the last published block, None when there is none yet."""

    chain_id: int
    generation: int
    block_number: int | None
    block_hash: bytes | None
    block_time: datetime | None
    pending: dict[str, Any] | None
    halted: str | None
    final_block: int | None


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit of work: consecutive blocks that are published, or taken back, together."""

    unit_id: int
    first: int
    last: int
    last_hash: bytes

    def pending(self, phase: str) -> dict[str, Any]:
        """What ``pending`` holds while this unit is written."""
        return {
            "unit_id": self.unit_id,
            "first": self.first,
            "last": self.last,
            "last_hash": "0x" + self.last_hash.hex(),
            "phase": phase,
        }


@dataclass(slots=True)
class Standing:
    """Whether a writer still is the one: asked before each insert, of the store whenever time has passed unseen.

    A writer that is frozen with its machine or its process notices nothing of it. When it thaws, its lock is gone, and
    its successors may have published so much that the warehouse has forgotten the tokens by which it would refuse the
    late insert. So nothing is inserted longer than ``_UNASKED_SECONDS`` after the store last said that nothing moved:
    less than so many units take.
    """

    store: Store
    checkpoint: Checkpoint
    asked_at: float = field(default_factory=lambda: _seconds_since_boot())

    def require(self) -> None:
        """Go on, or not.

        Raises:
            CheckpointMoved: another writer took over.
        """
        if _seconds_since_boot() - self.asked_at < _UNASKED_SECONDS:
            return
        row = self.store.execute(
            "SELECT generation FROM chain_checkpoint WHERE chain_id = %s", (self.checkpoint.chain_id,)
        ).fetchone()
        if row is None or row["generation"] != self.checkpoint.generation:
            raise CheckpointMoved(f"another writer moved the checkpoint of chain {self.checkpoint.chain_id}")
        self.asked_at = _seconds_since_boot()


@contextmanager
def writer_lock(store_url: str, chain_id: int) -> Iterator[Store | None]:
    """A connection that holds the chain's writer lock, or None when another writer has it.

    Raises:
        StoreUnavailable: nobody answers, or the connection was lost on the way.
    """
    try:
        with postgres.connect(store_url, autocommit=True) as store:
            row = store.execute("SELECT pg_try_advisory_lock(%s, %s) AS held", (LOCK_CLASS, chain_id)).fetchone()
            if not row or not row["held"]:
                yield None
                return
            try:
                yield store
            finally:
                if not store.closed and not store.broken:
                    store.execute("SELECT pg_advisory_unlock(%s, %s)", (LOCK_CLASS, chain_id))
    except postgres.ConnectionLost as error:
        raise StoreUnavailable(f"the connection to PostgreSQL was lost: {error}") from error


def read_checkpoint(store: Store, chain_id: int) -> Checkpoint:
    """The chain's row, made on first sight."""
    store.execute(
        "INSERT INTO chain_checkpoint (chain_id, generation) VALUES (%s, 0) ON CONFLICT DO NOTHING", (chain_id,)
    )
    row = store.execute("SELECT * FROM chain_checkpoint WHERE chain_id = %s", (chain_id,)).fetchone()
    if row is None:
        raise CheckpointMoved(f"the checkpoint of chain {chain_id} vanished")
    return _checkpoint(row)


def next_change_id(store: Store) -> int:
    """A number for a unit or for the taking back of some."""
    row = store.execute("SELECT nextval('change_id_seq') AS id").fetchone()
    if row is None:
        raise CheckpointMoved("the sequence of units gave no number")
    return int(row["id"])


def begin_unit(store: Store, checkpoint: Checkpoint, unit: Unit) -> Checkpoint:
    """Record the unit and that its facts are being written."""
    with store.transaction():
        store.execute(
            "INSERT INTO ingest_unit (unit_id, chain_id, first_block, last_block, last_hash, status)"
            " VALUES (%s, %s, %s, %s, %s, 'pending')",
            (unit.unit_id, checkpoint.chain_id, unit.first, unit.last, "0x" + unit.last_hash.hex()),
        )
        return _set(store, checkpoint, "pending = %s", [Jsonb(unit.pending("facts"))])


def set_pending(store: Store, checkpoint: Checkpoint, pending: dict[str, Any]) -> Checkpoint:
    """Move to another phase."""
    return _set(store, checkpoint, "pending = %s", [Jsonb(pending)])


def publish_unit(
    store: Store,
    checkpoint: Checkpoint,
    unit: Unit,
    time: datetime,
    counts: dict[str, int] | None,
) -> Checkpoint:
    """Make the unit's last block the published one."""
    with store.transaction():
        store.execute(
            "UPDATE ingest_unit SET status = 'published', finished_at = now(), row_counts = coalesce(%s, row_counts)"
            " WHERE unit_id = %s",
            (Jsonb(counts) if counts is not None else None, unit.unit_id),
        )
        return _set(
            store,
            checkpoint,
            "pending = NULL, block_number = %s, block_hash = %s, block_time = %s",
            [unit.last, "0x" + unit.last_hash.hex(), time],
        )


def abandon_unit(store: Store, checkpoint: Checkpoint, unit_id: int) -> Checkpoint:
    """Record that a unit was given up; its rows are gone."""
    with store.transaction():
        _finish(store, [unit_id], "abandoned")
        return _set(store, checkpoint, "pending = NULL", [])


def finish_revert(
    store: Store,
    checkpoint: Checkpoint,
    units: Sequence[int],
    head: tuple[int, bytes, datetime] | None,
) -> Checkpoint:
    """Record that units were taken back; ``head`` is what is published now, None for nothing."""
    number, digest, time = head if head is not None else (None, None, None)
    with store.transaction():
        _finish(store, units, "reverted")
        return _set(
            store,
            checkpoint,
            "pending = NULL, block_number = %s, block_hash = %s, block_time = %s",
            [number, "0x" + digest.hex() if digest else None, time],
        )


def set_halted(store: Store, checkpoint: Checkpoint, reason: str | None) -> Checkpoint:
    """Stop ingestion of the chain for a stated reason, or allow it again."""
    return _set(store, checkpoint, "halted = %s", [reason])


def record_head(store: Store, chain_id: int, head: int, final: int) -> None:
    """What the node says. Not guarded, because no writer's decision is lost by it; what was final stays final."""
    store.execute(
        "UPDATE chain_checkpoint SET head_block = %s, final_block = greatest(final_block, %s), updated_at = now()"
        " WHERE chain_id = %s",
        (head, max(final, 0), chain_id),
    )


def units_above(store: Store, chain_id: int, block: int) -> list[Unit]:
    """Published units that reach beyond ``block``, newest first."""
    rows = store.execute(
        "SELECT unit_id, first_block, last_block, last_hash FROM ingest_unit"
        " WHERE chain_id = %s AND status = 'published' AND last_block > %s ORDER BY last_block DESC",
        (chain_id, block),
    ).fetchall()
    return [
        Unit(row["unit_id"], row["first_block"], row["last_block"], bytes.fromhex(row["last_hash"][2:])) for row in rows
    ]


def _seconds_since_boot() -> float:
    """A clock that also counts while the machine sleeps, where there is one."""
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))


def _finish(store: Store, units: Sequence[int], status: str) -> None:
    store.execute(
        "UPDATE ingest_unit SET status = %s, finished_at = now() WHERE unit_id = ANY(%s)", (status, list(units))
    )


def _set(store: Store, checkpoint: Checkpoint, assignments: str, values: list[Any]) -> Checkpoint:
    row = store.execute(
        f"UPDATE chain_checkpoint SET {assignments}, generation = generation + 1, updated_at = now()"  # noqa: S608
        " WHERE chain_id = %s AND generation = %s RETURNING *",
        [*values, checkpoint.chain_id, checkpoint.generation],
    ).fetchone()
    if row is None:
        raise CheckpointMoved(f"another writer moved the checkpoint of chain {checkpoint.chain_id}")
    return _checkpoint(row)


def _checkpoint(row: dict[str, Any]) -> Checkpoint:
    return Checkpoint(
        row["chain_id"],
        row["generation"],
        row["block_number"],
        bytes.fromhex(row["block_hash"][2:]) if row["block_hash"] else None,
        row["block_time"],
        row["pending"],
        row["halted"],
        row["final_block"],
    )
