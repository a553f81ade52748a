"""Distinct values of a column of bytes, without a Python object per row."""

import secrets

import numpy as np
from numpy.typing import NDArray

from indexer.chains.evm.decoders.frame import Column
from indexer.chains.evm.tuned.hexadecimal import Bytes

# Random per process, so that nobody can craft addresses that collide.
_FACTORS = np.array([secrets.randbits(64) | 1 for _ in range(5)], np.uint64)


def distinct(values: Column) -> tuple[list[bytes], NDArray[np.int64], NDArray[np.int64]]:
    """The distinct values, each row's index among them, and the first row of each."""
    if isinstance(values, list) or not len(values):
        return _one_by_one([bytes(value) for value in values])
    mixed = _mix(values)
    _, first, codes = np.unique(mixed, return_index=True, return_inverse=True)
    representatives = values[first]
    if not np.array_equal(representatives[codes], values):  # two values have the same hash
        return _one_by_one([bytes(value) for value in values])
    return [row.tobytes() for row in representatives], codes.reshape(-1).astype(np.int64), first.astype(np.int64)


def _mix(values: Bytes) -> NDArray[np.uint64]:
    """A 64-bit hash of each row."""
    rows, width = values.shape
    padded = np.zeros((rows, -(-width // 8) * 8), np.uint8)
    padded[:, :width] = values
    words = padded.view(np.uint64)
    mixed = np.full(rows, _FACTORS[-1], np.uint64)
    for word in range(words.shape[1]):
        mixed = (mixed ^ words[:, word]) * _FACTORS[word % 4]
        mixed ^= mixed >> np.uint64(29)
    return mixed


def _one_by_one(values: list[bytes]) -> tuple[list[bytes], NDArray[np.int64], NDArray[np.int64]]:
    places: dict[bytes, int] = {}
    first: list[int] = []
    codes = np.empty(len(values), np.int64)
    for row, value in enumerate(values):
        if value not in places:
            places[value] = len(places)
            first.append(row)
        codes[row] = places[value]
    return list(places), codes, np.array(first, np.int64)
