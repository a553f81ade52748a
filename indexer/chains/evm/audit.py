"""Checks that a node's answers are consistent, before anything is published.

Each function checks one property and raises NodeLied when it does not hold. Logs alone cannot prove that none is
missing. The bloom filters of headers show where logs must be, and those blocks are fetched again.
"""

import numpy as np
from eth_hash.auto import keccak
from numpy.typing import NDArray

from indexer.chains.errors import NodeLied
from indexer.chains.evm.headers import Headers
from indexer.chains.evm.tuned.logs import Logs

# In answers about at most this many blocks every block is recounted.
FEW_BLOCKS = 16


def require_in_range(logs: Logs, headers: Headers) -> None:
    """Every log belongs to a block of the range."""
    if len(logs) and not (
        headers.first <= int(logs.block_number.min()) <= int(logs.block_number.max()) <= headers.last
    ):
        raise NodeLied(f"logs outside of blocks {headers.first} to {headers.last}")


def require_same_fork(logs: Logs, headers: Headers) -> None:
    """Every log names the block hash of the header with its number."""
    expected = headers.hash[(logs.block_number - np.uint64(headers.first)).astype(np.int64)]
    found = logs.block_hash()
    if not np.array_equal(found, expected):
        wrong = np.flatnonzero((found != expected).any(axis=1))
        raise NodeLied(f"logs of block {logs.block_number[wrong[0]]} are of another fork than its header")


def require_order(logs: Logs) -> None:
    """Logs are in the order of the chain, and none is repeated."""
    block, index = logs.block_number, logs.log_index
    later = (block[1:] > block[:-1]) | ((block[1:] == block[:-1]) & (index[1:] > index[:-1]))
    if not later.all():
        at = int(np.flatnonzero(~later)[0])
        raise NodeLied(f"logs of block {block[at]} repeat or are out of order at index {index[at + 1]}")


def bloom_bits(item: bytes) -> tuple[tuple[int, int], ...]:
    """The bits, as (byte, mask), that an address or topic sets in a header's bloom filter."""
    digest = keccak(item)
    bits = [int.from_bytes(digest[at : at + 2], "big") & 2047 for at in (0, 2, 4)]
    return tuple((255 - bit // 8, 1 << (bit % 8)) for bit in bits)


def blooms_with(headers: Headers, item: bytes) -> NDArray[np.bool_]:
    """Which blocks may have ``item`` in their logs, by their bloom filters."""
    may = np.ones(len(headers), np.bool_)
    for byte, mask in bloom_bits(item):
        may &= (headers.bloom[:, byte] & mask) != 0
    return may


def doubtful_blocks(logs: Logs, headers: Headers, topics: tuple[bytes, ...]) -> NDArray[np.int64]:
    """Blocks whose bloom filter contains one of ``topics`` although no log with it was returned.

    Filters have false positives but no false negatives, so each of these blocks is fetched again by itself.
    """
    doubtful = np.zeros(len(headers), np.bool_)
    for topic in topics:
        may = blooms_with(headers, topic)
        seen = logs.block_number[logs.with_topic(topic)] - np.uint64(headers.first)
        may[seen.astype(np.int64)] = False
        doubtful |= may
    return np.flatnonzero(doubtful) + headers.first


def blocks_to_recount(logs: Logs, headers: Headers) -> dict[int, int]:
    """Blocks to fetch again whatever their filters say, with how many logs they have in this answer.

    In a long range that is the last block with logs, where a truncated answer ends. In a short range, as at the head,
    it is every block with logs: that is cheap there and also finds a log missing within a block.
    """
    blocks, counts = np.unique(logs.block_number, return_counts=True)
    chosen = slice(None) if len(headers) <= FEW_BLOCKS else slice(-1, None)
    return dict(zip(blocks[chosen].tolist(), counts[chosen].tolist(), strict=True))
