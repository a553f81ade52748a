"""Decode columns of hexadecimal text into numbers and bytes."""

import binascii

import numpy as np
from numpy.typing import NDArray

from indexer.chains.errors import NodeLied

Bytes = NDArray[np.uint8]
Positions = NDArray[np.int64]

_NIBBLE = np.full(256, 255, np.uint8)
for _digits, _value in ((b"0123456789", 0), (b"abcdef", 10), (b"ABCDEF", 10)):
    _NIBBLE[np.frombuffer(_digits, np.uint8)] = np.arange(_value, _value + len(_digits), dtype=np.uint8)


class BadHex(NodeLied):
    """A character is not a hexadecimal digit."""


def windows(text: Bytes, at: Positions, width: int) -> Bytes:
    """``width`` characters from each position, one row each."""
    if len(at) == 0:
        return np.empty((0, width), np.uint8)
    every: NDArray[np.void] = np.ndarray(
        shape=(len(text) - width + 1,), dtype=np.dtype(f"V{width}"), buffer=text.data, strides=(1,)
    )
    return every[at].view(np.uint8).reshape(len(at), width)


def unhex(rows: Bytes) -> Bytes:
    """Rows of 2k hexadecimal digits to rows of k bytes."""
    try:
        raw = binascii.unhexlify(np.ascontiguousarray(rows).data.cast("B")) if rows.size else b""
    except binascii.Error as error:
        raise BadHex(str(error)) from error
    return np.frombuffer(raw, np.uint8).reshape(len(rows), rows.shape[1] // 2)


def numbers(text: Bytes, start: Positions, end: Positions) -> NDArray[np.uint64]:
    """Numbers of 1 to 16 digits between ``start`` and ``end``."""
    count = len(start)
    if count == 0:
        return np.empty(0, np.uint64)
    digits = end - start
    widest = int(digits.max())
    if widest > 16 or int(digits.min()) < 1:
        raise BadHex(f"a number of {widest} digits")
    values = np.zeros(count, np.uint64)
    for place in range(widest):
        there = digits > place
        nibble = _NIBBLE[text[np.where(there, end - 1 - place, end - 1)]]
        if bool((nibble == 255).any()):
            raise BadHex("not a hexadecimal digit in a number")
        values |= np.where(there, nibble, 0).astype(np.uint64) << np.uint64(4 * place)
    return values
