"""Windows: the changes of a chain that a step has not seen yet, and the published block that bounds its reads.

Facts at or below the published block change only when a reorganisation reverts them, and the indexer announces that in
the store before it removes the first row. So a step may read while the indexer writes, as long as it checks that its
window still holds before it moves its checkpoint, writes rows for good, or publishes.
"""

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from warehouse import postgres, sql
from warehouse.clickhouse import Warehouse
from warehouse.domain.chains import Chain
from warehouse.postgres import Connection, Jsonb

log = logging.getLogger(__name__)

_MAX_CHANGE_ID = 2**63


class ReorgDuringRefresh(Exception):
    """A reorganisation reverted blocks that the run had read, so its rows belong to no single state of the chain. The
    next run computes them again."""


@dataclass(frozen=True, slots=True)
class Window:
    """Changes ``after < change_id <= up_to`` of one chain, read as of block ``through``."""

    chain: Chain
    after: int
    up_to: int
    through: int
    as_of: datetime
    """Time of block ``through``, in UTC."""
    final_block: int
    details: Mapping[str, Any]
    """What the step stored with its checkpoint."""
    unit_id: int | None = None
    """The ingest unit that ends with block ``through``, if known. Reorganisations revert units from the newest down, so
    while this one exists, so do all below it."""
    sums_settled: bool = True
    """No ingest unit is half summed: while the writer is paused, balances are those of block ``through``."""

    @property
    def has_changes(self) -> bool:
        """Whether there is any change the step has not seen."""
        return self.up_to > self.after

    def parameters(self, version: int) -> dict[str, Any]:
        """The parameters that every transform takes."""
        return {
            "chain_id": self.chain.chain_id,
            "after": self.after,
            "up_to": self.up_to,
            "through": self.through,
            "version": version,
        }


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A row of ``derive_checkpoint``: the last change that a step has seen, and what it stored with it."""

    change_id: int
    details: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class _CheckpointRow:
    """A row of ``sql/store/ingestion/find_published``."""

    block_number: int | None
    block_time: datetime | None
    final_block: int | None
    pending: Mapping[str, Any] | None
    unit_id: int | None


@dataclass(frozen=True, slots=True)
class _Published:
    """A chain's published state as one refresh run sees it."""

    up_to: int
    through: int
    as_of: datetime
    final_block: int
    unit_id: int | None
    sums_settled: bool


@dataclass(slots=True)
class Windows:
    """Opens windows and moves checkpoints. A chain's published state is read once, until :meth:`reload`."""

    warehouse: Warehouse
    store: Connection
    _published: dict[int, _Published | None] = field(default_factory=dict)

    def open(self, subject: str, chain: Chain) -> Window | None:
        """What ``subject`` has yet to see of ``chain``; None when nothing of the chain is published."""
        if chain.chain_id not in self._published:
            self._published[chain.chain_id] = self._read_published(chain.chain_id)
        published = self._published[chain.chain_id]
        if published is None:
            return None
        checkpoint = read_checkpoint(self.store, subject, chain.chain_id)
        return Window(
            chain=chain,
            after=checkpoint.change_id,
            up_to=max(checkpoint.change_id, published.up_to),
            through=published.through,
            as_of=published.as_of,
            final_block=published.final_block,
            details=checkpoint.details,
            unit_id=published.unit_id,
            sums_settled=published.sums_settled,
        )

    def checkpoint(self, subject: str, chain: Chain) -> Checkpoint:
        """What a step has seen of a chain, and stored with it."""
        return read_checkpoint(self.store, subject, chain.chain_id)

    def reload(self, chain: Chain) -> None:
        """Read the chain's published state again when the next window is opened."""
        self._published.pop(chain.chain_id, None)

    def ensure_not_reorged(self, window: Window) -> None:
        """Check that no block of the window was reverted since it was opened.

        Raises:
            ReorgDuringRefresh: a reorganisation has reverted, or is reverting, blocks of the window.
        """
        rows = postgres.run(
            self.store,
            "derivation/check_window",
            {"chain_id": window.chain.chain_id, "unit_id": window.unit_id, "through": window.through},
        )
        if not rows or not rows[0]["stands"]:
            raise ReorgDuringRefresh(f"chain {window.chain.key} was reorganised during the refresh")

    def advance(self, subject: str, window: Window, details: Mapping[str, Any] | None = None) -> None:
        """Move the checkpoint of ``subject`` to the end of the window, storing ``details`` with it.

        Raises:
            ReorgDuringRefresh: blocks of the window were reverted.
        """
        self.ensure_not_reorged(window)
        write_checkpoint(
            self.store,
            subject,
            window.chain.chain_id,
            Checkpoint(window.up_to, window.details if details is None else details),
        )

    def as_of_blocks(self) -> dict[int, int]:
        """For every chain this run has opened, the block through which its tokens are known."""
        known = {row["chain_id"]: row["through"] for row in postgres.run(self.store, "derivation/list_token_progress")}
        return {chain_id: known[chain_id] for chain_id, found in self._published.items() if found and chain_id in known}

    def _read_published(self, chain_id: int) -> _Published | None:
        if self._read_checkpoint_row(chain_id) is None:
            return None
        # Read the newest change before the checkpoint: a unit that begins in between lies above what the checkpoint
        # then says.
        newest = self._newest_change(chain_id, _MAX_CHANGE_ID)
        row = self._read_checkpoint_row(chain_id)
        if row is None or row.block_number is None:
            return None
        pending = row.pending or {}
        if pending.get("phase") == "revert":
            log.info("chain %s: blocks are being reverted; its derived tables wait", chain_id)
            return None
        # An unfinished unit's facts lie above the published block; its changes are for a later window.
        if pending and newest >= int(pending["unit_id"]):
            newest = self._newest_change(chain_id, int(pending["unit_id"]))
        as_of = row.block_time or self._block_time(chain_id, row.block_number)
        return _Published(
            up_to=newest,
            through=row.block_number,
            as_of=as_of.astimezone(UTC),
            final_block=row.final_block or 0,
            unit_id=row.unit_id,
            sums_settled=pending.get("phase") not in ("sums", "repair"),
        )

    def _read_checkpoint_row(self, chain_id: int) -> _CheckpointRow | None:
        rows = postgres.records(self.store, _CheckpointRow, "ingestion/find_published", {"chain_id": chain_id})
        return rows[0] if rows and rows[0].block_number is not None else None

    def _newest_change(self, chain_id: int, below: int) -> int:
        found = self.warehouse.scalar(
            sql.load("transforms/windows/newest_change"), {"chain_id": chain_id, "below": below}
        )
        return int(found or 0)

    def _block_time(self, chain_id: int, block_number: int) -> datetime:
        seconds = self.warehouse.scalar(
            sql.load("transforms/windows/block_time"), {"chain_id": chain_id, "block": block_number}
        )
        return datetime.fromtimestamp(int(seconds or 0), UTC)


def read_checkpoint(store: Connection, subject: str, chain_id: int) -> Checkpoint:
    """The checkpoint of a subject; change 0 without details if there is none yet."""
    found = postgres.records(
        store, Checkpoint, "derivation/find_checkpoint", {"subject": subject, "chain_id": chain_id}
    )
    return found[0] if found else Checkpoint(0, {})


def write_checkpoint(store: Connection, subject: str, chain_id: int, checkpoint: Checkpoint) -> None:
    """Store the checkpoint of a subject."""
    postgres.run(
        store,
        "derivation/advance_checkpoint",
        {
            "subject": subject,
            "chain_id": chain_id,
            "change_id": checkpoint.change_id,
            "details": Jsonb(dict(checkpoint.details)),
        },
    )
