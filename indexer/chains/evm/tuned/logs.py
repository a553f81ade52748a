"""Logs as columns of positions in the answer's text. Hexadecimal is decoded when a decoder asks for a column.

``answers`` makes them: with ``layout`` where all logs have the same layout, else with ``objects``.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexer.chains.errors import NodeLied
from indexer.chains.evm.tuned.hexadecimal import Bytes, Positions, unhex, windows

MAX_TOPICS = 4
# Lower-cases eight hexadecimal digits at once: A to F become a to f, other digits stay.
_LOWER = np.uint64(0x2020202020202020)


@dataclass(frozen=True, slots=True)
class Logs:
    """Logs by column. ``*_at`` are positions of hexadecimal digits in ``text``, decoded when asked for.

    ``topic_heads`` holds the first eight digits of each log's first topic in lower case, 0 where it has none. They
    nearly always identify the event.
    """

    text: Bytes
    block_number: NDArray[np.uint64]
    log_index: NDArray[np.uint32]
    topic_count: NDArray[np.uint8]
    address_at: Positions
    topic_at: Positions
    data_at: Positions
    data_digits: Positions
    block_hash_at: Positions
    transaction_hash_at: Positions
    topic_heads: NDArray[np.uint64]

    def __len__(self) -> int:  # noqa: D105
        return len(self.block_number)

    def select(self, rows: NDArray[Any]) -> "Logs":
        """The logs at ``rows`` (indices or a mask)."""
        return Logs(
            self.text,
            self.block_number[rows],
            self.log_index[rows],
            self.topic_count[rows],
            self.address_at[rows],
            self.topic_at[rows],
            self.data_at[rows],
            self.data_digits[rows],
            self.block_hash_at[rows],
            self.transaction_hash_at[rows],
            self.topic_heads[rows],
        )

    def address(self) -> Bytes:
        """Emitting contracts, 20 bytes a row."""
        return unhex(windows(self.text, self.address_at, 40))

    def transaction_hash(self) -> Bytes:
        """Transaction hashes, 32 bytes a row."""
        return unhex(windows(self.text, self.transaction_hash_at, 64))

    def block_hash(self) -> Bytes:
        """Block hashes, 32 bytes a row."""
        return unhex(windows(self.text, self.block_hash_at, 64))

    def topic(self, index: int) -> Bytes:
        """Topic ``index``, 32 bytes a row; every selected log must have it."""
        return unhex(windows(self.text, self.topic_at[:, index], 64))

    def words(self, count: int) -> Bytes:
        """The first ``count`` words of the data, (rows, count, 32), most significant byte first."""
        return unhex(windows(self.text, self.data_at, 64 * count)).reshape(len(self), count, 32)

    def data(self) -> list[bytes]:
        """The whole data of each log."""
        return [
            unhex(self.text[start : start + digits].reshape(1, digits)).tobytes()
            for start, digits in zip(self.data_at.tolist(), self.data_digits.tolist(), strict=True)
        ]

    def topics(self) -> list[list[bytes]]:
        """All topics of each log."""
        return [
            [unhex(self.text[at : at + 64].reshape(1, 64)).tobytes() for at in row[:count]]
            for row, count in zip(self.topic_at.tolist(), self.topic_count.tolist(), strict=True)
        ]

    def with_topic(self, topic: bytes) -> NDArray[np.int64]:
        """Indices of the logs whose first topic is ``topic``."""
        wanted = np.frombuffer(topic.hex().encode(), np.uint64)
        rows = np.flatnonzero(self.topic_heads == wanted[0])
        if not len(rows):
            return rows
        same = ((windows(self.text, self.topic_at[rows, 0], 64).view(np.uint64) | _LOWER) == wanted).all(axis=1)
        return rows if same.all() else rows[same]


def topic_heads(text: Bytes, topic_at: Positions, topic_count: NDArray[Any]) -> NDArray[np.uint64]:
    """The first eight digits of each log's first topic (see ``Logs``)."""
    heads = np.zeros(len(topic_count), np.uint64)
    has = np.flatnonzero(topic_count)
    heads[has] = windows(text, topic_at[has, 0], 8).view(np.uint64).reshape(-1) | _LOWER
    return heads


def as_uint32(values: NDArray[np.uint64]) -> NDArray[np.uint32]:
    """Log indices in 32 bits.

    Raises:
        NodeLied: one is larger.
    """
    if len(values) and int(values.max()) > 0xFFFFFFFF:
        raise NodeLied("a log index beyond 32 bits")
    return values.astype(np.uint32)


def no_logs() -> Logs:
    """An empty result."""
    none = np.empty(0, np.int64)
    return Logs(
        np.empty(0, np.uint8),
        none.astype(np.uint64),
        none.astype(np.uint32),
        none.astype(np.uint8),
        none,
        np.empty((0, MAX_TOPICS), np.int64),
        none,
        none,
        none,
        none,
        none.astype(np.uint64),
    )
