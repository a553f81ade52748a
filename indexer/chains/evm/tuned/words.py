"""Columns of 256-bit words: from the chain's big-endian to the warehouse's little-endian."""

import numpy as np
from numpy.typing import NDArray

from indexer.chains.evm.tuned.hexadecimal import Bytes

_FIRST_HALF = np.frombuffer(b"\xff" * 4 + b"\0" * 4, np.uint64)[0]
"""Masks the first four of eight bytes, whatever the machine's byte order."""


def little_endian(words: Bytes) -> Bytes:
    """(rows, 32) big-endian words as (rows, 32) little-endian integers."""
    limbs = np.ascontiguousarray(words).view(np.uint64)  # eight bytes at a time: four times as fast as one by one
    return np.ascontiguousarray(limbs[:, ::-1]).byteswap().view(np.uint8)


def nonzero(rows: Bytes) -> NDArray[np.bool_]:
    """Which rows have a byte that is not zero."""
    return np.asarray(rows.any(axis=1), np.bool_)


def is_address(words: Bytes) -> NDArray[np.bool_]:
    """Which words are addresses: twelve zero bytes, then twenty of any value."""
    limbs = np.ascontiguousarray(words).view(np.uint64)
    return np.asarray((limbs[:, 0] == 0) & (limbs[:, 1] & _FIRST_HALF == 0), np.bool_)


def address(words: Bytes) -> Bytes:
    """The address each word holds."""
    return np.ascontiguousarray(words[:, 12:])


def low_int32(words: Bytes) -> NDArray[np.int32]:
    """The low 32 bits as a signed number: correct for every integer type of up to 32 bits."""
    return np.ascontiguousarray(words[:, 28:]).view(">i4").reshape(-1).astype(np.int32)


def low_uint64(words: Bytes) -> NDArray[np.uint64]:
    """The low 64 bits. Larger values become the largest one, so that they are never taken for small ones."""
    low = np.ascontiguousarray(words[:, 24:]).view(">u8").reshape(-1).astype(np.uint64)
    low[nonzero(words[:, :24])] = np.iinfo(np.uint64).max
    return low


def subtract(minuend: Bytes, subtrahend: Bytes) -> Bytes:
    """Difference of little-endian 256-bit integers, modulo 2^256: two's complement when negative."""
    left = np.ascontiguousarray(minuend).view("<u8")
    right = np.ascontiguousarray(subtrahend).view("<u8")
    result = np.empty_like(left)
    borrow = np.zeros(len(left), np.uint64)
    for limb in range(4):
        first = left[:, limb] - right[:, limb]
        result[:, limb] = first - borrow
        borrow = ((left[:, limb] < right[:, limb]) | (first < borrow)).astype(np.uint64)
    return result.view(np.uint8).reshape(len(minuend), 32)


def negate(values: Bytes) -> Bytes:
    """Two's complement of little-endian 256-bit integers."""
    return subtract(np.zeros_like(values), values)
