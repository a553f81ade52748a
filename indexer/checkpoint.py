"""How far each chain is indexed: one row per chain in the store, changed by compare-and-set, and a row per unit.

``pending`` says what was started and not finished, so that the next writer after a crash knows what to undo or repeat.
An advisory lock keeps one writer per chain. The compare-and-set on ``generation`` is correct even when a writer lost
its lock without noticing.
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
_UNCHECKED_SECONDS = 5.0


class CheckpointMoved(Exception):
    """Another writer moved the checkpoint. Our view of the chain is out of date, and we changed nothing."""


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
    """A unit of work: consecutive blocks that are published, or reverted, together."""

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
class WriterGuard:
    """Stops a writer that was replaced while it was frozen. Call ``ensure_current`` before each insert.

    A frozen process does not notice that it was frozen. When it continues, its lock is gone, and its successors may
    have published so many units that the warehouse has forgotten the token by which it would refuse the late insert.
    So no insert starts later than ``_UNCHECKED_SECONDS`` after the store last confirmed the checkpoint: that many
    units take longer.
    """

    store: Connection
    checkpoint: Checkpoint
    checked_at: float = field(default_factory=lambda: _seconds_since_boot())

    def ensure_current(self) -> None:
        """Ask the store whether the checkpoint is still ours, unless it said so just now.

        Raises:
            CheckpointMoved: another writer took over.
        """
        if _seconds_since_boot() - self.checked_at < _UNCHECKED_SECONDS:
            return
        row = self.store.execute(
            "SELECT generation FROM chain_checkpoint WHERE chain_id = %s", (self.checkpoint.chain_id,)
        ).fetchone()
        if row is None or row["generation"] != self.checkpoint.generation:
            raise CheckpointMoved(f"another writer moved the checkpoint of chain {self.checkpoint.chain_id}")
        self.checked_at = _seconds_since_boot()


@contextmanager
def writer_lock(store_url: str, chain_id: int) -> Iterator[Connection | None]:
    """A connection that holds the chain's writer lock, or None when another writer has it.

    Raises:
        StoreUnavailable: PostgreSQL does not answer, or the connection was lost.
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


def read_checkpoint(store: Connection, chain_id: int) -> Checkpoint:
    """The chain's row, created on first use."""
    store.execute(
        "INSERT INTO chain_checkpoint (chain_id, generation) VALUES (%s, 0) ON CONFLICT DO NOTHING", (chain_id,)
    )
    row = store.execute("SELECT * FROM chain_checkpoint WHERE chain_id = %s", (chain_id,)).fetchone()
    if row is None:
        raise CheckpointMoved(f"the checkpoint of chain {chain_id} vanished")
    return _checkpoint(row)


def next_change_id(store: Connection) -> int:
    """A new number for a unit, or for a revert."""
    row = store.execute("SELECT nextval('change_id_seq') AS id").fetchone()
    if row is None:
        raise CheckpointMoved("change_id_seq returned no number")
    return int(row["id"])


def begin_unit(store: Connection, checkpoint: Checkpoint, unit: Unit) -> Checkpoint:
    """Record the unit and that its facts are being written."""
    with store.transaction():
        store.execute(
            "INSERT INTO ingest_unit (unit_id, chain_id, first_block, last_block, last_hash, status)"
            " VALUES (%s, %s, %s, %s, %s, 'pending')",
            (unit.unit_id, checkpoint.chain_id, unit.first, unit.last, "0x" + unit.last_hash.hex()),
        )
        return _set(store, checkpoint, "pending = %s", [Jsonb(unit.pending("facts"))])


def set_pending(store: Connection, checkpoint: Checkpoint, pending: dict[str, Any]) -> Checkpoint:
    """Move to another phase."""
    return _set(store, checkpoint, "pending = %s", [Jsonb(pending)])


def publish_unit(
    store: Connection,
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


def abandon_unit(store: Connection, checkpoint: Checkpoint, unit_id: int) -> Checkpoint:
    """Record that a unit was abandoned; its rows are deleted."""
    with store.transaction():
        _finish(store, [unit_id], "abandoned")
        return _set(store, checkpoint, "pending = NULL", [])


def finish_revert(
    store: Connection,
    checkpoint: Checkpoint,
    units: Sequence[int],
    head: tuple[int, bytes, datetime] | None,
) -> Checkpoint:
    """Record that units were reverted; ``head`` is the published block now, None when there is none."""
    number, digest, time = head if head is not None else (None, None, None)
    with store.transaction():
        _finish(store, units, "reverted")
        return _set(
            store,
            checkpoint,
            "pending = NULL, block_number = %s, block_hash = %s, block_time = %s",
            [number, "0x" + digest.hex() if digest else None, time],
        )


def set_halted(store: Connection, checkpoint: Checkpoint, reason: str | None) -> Checkpoint:
    """Stop indexing the chain for a stated reason, or with None allow it again."""
    return _set(store, checkpoint, "halted = %s", [reason])


def record_head(store: Connection, chain_id: int, head: int, final: int) -> None:
    """Record the node's head. Needs no compare-and-set: no decision depends on it. What was final stays final."""
    store.execute(
        "UPDATE chain_checkpoint SET head_block = %s, final_block = greatest(final_block, %s), updated_at = now()"
        " WHERE chain_id = %s",
        (head, max(final, 0), chain_id),
    )


def units_above(store: Connection, chain_id: int, block: int) -> list[Unit]:
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


def _finish(store: Connection, units: Sequence[int], status: str) -> None:
    store.execute(
        "UPDATE ingest_unit SET status = %s, finished_at = now() WHERE unit_id = ANY(%s)", (status, list(units))
    )


def _set(store: Connection, checkpoint: Checkpoint, assignments: str, values: list[Any]) -> Checkpoint:
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
