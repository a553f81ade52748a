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

from warehouse import advisory_locks, postgres
from warehouse.errors import StoreUnavailable
from warehouse.postgres import Connection, Jsonb, KeptConnection

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
    first_time: int = 0
    """Time of its first block in seconds, while it is written: it names the month that all of its rows are in."""

    def pending(self, phase: str) -> dict[str, Any]:
        """What ``pending`` holds while this unit is written."""
        return {
            "unit_id": self.unit_id,
            "first": self.first,
            "last": self.last,
            "last_hash": "0x" + self.last_hash.hex(),
            "first_time": self.first_time,
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
        rows = postgres.run(self.store, "ingestion/find_checkpoint", {"chain_id": self.checkpoint.chain_id})
        if not rows or rows[0]["generation"] != self.checkpoint.generation:
            raise CheckpointMoved(f"another writer moved the checkpoint of chain {self.checkpoint.chain_id}")
        self.checked_at = _seconds_since_boot()


@contextmanager
def writer_lock(line: KeptConnection, chain_id: int) -> Iterator[Connection | None]:
    """The connection, while it holds the chain's writer lock; None when another writer has it.

    Raises:
        StoreUnavailable: PostgreSQL does not answer, or the connection was lost.
    """
    try:
        with line.lent() as store:
            lock = advisory_locks.writer_of(chain_id)
            if not advisory_locks.try_acquire(store, lock):
                yield None
                return
            try:
                yield store
            finally:
                advisory_locks.release(store, lock)
    except postgres.ConnectionLost as error:
        raise StoreUnavailable(f"the connection to PostgreSQL was lost: {error}") from error


def read_checkpoint(store: Connection, chain_id: int) -> Checkpoint:
    """The chain's row, created on first use."""
    postgres.run(store, "ingestion/add_checkpoint", {"chain_id": chain_id})
    rows = postgres.run(store, "ingestion/find_checkpoint", {"chain_id": chain_id})
    if not rows:
        raise CheckpointMoved(f"the checkpoint of chain {chain_id} vanished")
    return _checkpoint(rows[0])


def next_change_id(store: Connection) -> int:
    """A new number for a unit, or for a revert."""
    return int(postgres.run(store, "ingestion/next_change_id")[0]["id"])


def begin_unit(store: Connection, checkpoint: Checkpoint, unit: Unit) -> Checkpoint:
    """Record the unit and that its facts are being written."""
    with store.transaction():
        postgres.run(
            store,
            "ingestion/add_unit",
            {
                "unit_id": unit.unit_id,
                "chain_id": checkpoint.chain_id,
                "first_block": unit.first,
                "last_block": unit.last,
                "last_hash": "0x" + unit.last_hash.hex(),
            },
        )
        return set_pending(store, checkpoint, unit.pending("facts"))


def set_pending(store: Connection, checkpoint: Checkpoint, pending: dict[str, Any] | None) -> Checkpoint:
    """Move to another phase; with None no work is under way."""
    value = None if pending is None else Jsonb(pending)
    return _move(store, checkpoint, "ingestion/set_pending", {"pending": value})


def publish_unit(
    store: Connection,
    checkpoint: Checkpoint,
    unit: Unit,
    time: datetime,
    counts: dict[str, int] | None,
) -> Checkpoint:
    """Make the unit's last block the published one."""
    with store.transaction():
        row_counts = Jsonb(counts) if counts is not None else None
        postgres.run(store, "ingestion/publish_unit", {"row_counts": row_counts, "unit_id": unit.unit_id})
        block = {"block_number": unit.last, "block_hash": "0x" + unit.last_hash.hex(), "block_time": time}
        return _move(store, checkpoint, "ingestion/move_block", block)


def abandon_unit(store: Connection, checkpoint: Checkpoint, unit_id: int) -> Checkpoint:
    """Record that a unit was abandoned; its rows are deleted."""
    with store.transaction():
        _finish(store, [unit_id], "abandoned")
        return set_pending(store, checkpoint, None)


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
        block = {"block_number": number, "block_hash": "0x" + digest.hex() if digest else None, "block_time": time}
        return _move(store, checkpoint, "ingestion/move_block", block)


def set_halted(store: Connection, checkpoint: Checkpoint, reason: str | None) -> Checkpoint:
    """Stop indexing the chain for a stated reason, or with None allow it again."""
    return _move(store, checkpoint, "ingestion/set_halted", {"halted": reason})


def record_head(store: Connection, chain_id: int, head: int, final: int) -> None:
    """Record the node's head. Needs no compare-and-set: no decision depends on it. What was final stays final."""
    seen = {"head_block": head, "final_block": max(final, 0), "chain_id": chain_id}
    postgres.run(store, "ingestion/record_head", seen)


def forget_final_block(store: Connection, chain_id: int) -> None:
    """Let blocks that were final be reverted."""
    postgres.run(store, "ingestion/forget_final_block", {"chain_id": chain_id})


def units_above(store: Connection, chain_id: int, block: int) -> list[Unit]:
    """Published units that reach beyond ``block``, newest first."""
    return [
        _unit(row) for row in postgres.run(store, "ingestion/list_units_above", {"chain_id": chain_id, "block": block})
    ]


def find_unit_reaching(store: Connection, chain_id: int, block: int) -> Unit | None:
    """The first published unit that ends with ``block`` or later."""
    rows = postgres.run(store, "ingestion/find_unit_reaching", {"chain_id": chain_id, "block": block})
    return _unit(rows[0]) if rows else None


def _seconds_since_boot() -> float:
    """A clock that also counts while the machine sleeps, where there is one."""
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))


def _finish(store: Connection, units: Sequence[int], status: str) -> None:
    postgres.run(store, "ingestion/finish_units", {"status": status, "unit_ids": list(units)})


def _move(store: Connection, checkpoint: Checkpoint, statement: str, values: dict[str, Any]) -> Checkpoint:
    """Move the checkpoint on from the generation that the caller knows.

    Raises:
        CheckpointMoved: another writer moved it.
    """
    known = {"chain_id": checkpoint.chain_id, "generation": checkpoint.generation}
    rows = postgres.run(store, statement, {**values, **known})
    if not rows:
        raise CheckpointMoved(f"another writer moved the checkpoint of chain {checkpoint.chain_id}")
    return _checkpoint(rows[0])


def _unit(row: dict[str, Any]) -> Unit:
    return Unit(row["unit_id"], row["first_block"], row["last_block"], bytes.fromhex(row["last_hash"][2:]))


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
