"""The rows of one unit: consecutive blocks that are published, or reverted, together. The same for every chain."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from warehouse.writer import ColumnData

Rows = Mapping[str, ColumnData]
"""Rows of one table by column, without the columns that every row gets (chain, block time, unit)."""


SUBJECTS: Mapping[str, tuple[str, str | None]] = {
    "fact_transfer": ("token", "token"),
    "fact_token": ("metadata", "address"),
    "fact_control": ("control", "address"),
    "fact_pool": ("pool", "pool"),
    "fact_swap": ("pool", "pool"),
    "fact_pool_state": ("pool", "pool"),
    "fact_liquidity": ("pool", "pool"),
    "fact_registry_event": ("registry", None),
}
"""What rows of a table say was touched, and the column that names it. ``fact_change`` lists the subjects."""


@dataclass(frozen=True, slots=True)
class Blocks:
    """Blocks by column, at least one, in ascending order. Numbers have gaps where a chain skips slots.

    ``hash`` and ``parent`` have one row of bytes per block; ``time`` is in seconds since 1970.
    """

    number: NDArray[np.uint64]
    hash: NDArray[np.uint8]
    parent: NDArray[np.uint8]
    time: NDArray[np.uint32]
    transaction_count: NDArray[np.uint32]

    def __len__(self) -> int:  # noqa: D105
        return len(self.number)

    @property
    def first(self) -> int:
        """Number of the first block."""
        return int(self.number[0])

    @property
    def last(self) -> int:
        """Number of the last block."""
        return int(self.number[-1])

    @property
    def last_hash(self) -> bytes:
        """Hash of the last block."""
        return bytes(self.hash[-1])

    @property
    def parent_hash(self) -> bytes:
        """Hash of the block that the first one follows."""
        return bytes(self.parent[0])

    def times_of(self, numbers: NDArray[np.uint64]) -> NDArray[np.uint32]:
        """Times of the blocks with these numbers, all of which are here."""
        if self.last - self.first + 1 == len(self):
            rows = (numbers - self.number[0]).astype(np.int64)
        else:
            rows = np.searchsorted(self.number, numbers)
        times: NDArray[np.uint32] = self.time[rows]
        return times


@dataclass(frozen=True, slots=True)
class Change:
    """One row of ``fact_change``: what a unit touched, and from which block on."""

    subject: str
    key: bytes
    from_block: int
    from_time: int


@dataclass(frozen=True, slots=True)
class AssembledUnit:
    """A unit ready to be written: its blocks, rows by table, what it touched, and how many events it holds."""

    blocks: Blocks
    tables: Mapping[str, Sequence[Rows]]
    changes: Sequence[Change]
    event_count: int
