"""Columns in ClickHouse's Native format, the fastest way to insert numpy arrays.

A block is encoded for the HTTP interface (protocol revision 0): the number of columns and rows, then the name, type
and values of each column. Types may be those of the table or simpler ones that the server converts (String for
LowCardinality(String)).

Blocks are megabytes: the encoder computes the layout first, then copies every value once, to its place.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Parts:
    """One column in several pieces, written in order; pieces of strings may differ in width."""

    pieces: Sequence["ColumnData"]

    def __len__(self) -> int:  # noqa: D105
        return sum(map(column_rows, self.pieces))


ColumnData: TypeAlias = (
    NDArray[Any] | Sequence[bytes] | Sequence[Sequence[bytes]] | tuple[NDArray[np.bool_], NDArray[Any]] | Parts
)
Column: TypeAlias = tuple[str, str, ColumnData]

_WIDTHS = {
    "UInt8": 1, "UInt16": 2, "UInt32": 4, "UInt64": 8, "Int8": 1, "Int16": 2, "Int32": 4, "Int64": 8,
    "DateTime": 4, "Date": 2, "UInt128": 16, "Int128": 16, "UInt256": 32, "Int256": 32, "Float64": 8,
}  # fmt: skip
_NUMPY = {
    "UInt8": "<u1", "UInt16": "<u2", "UInt32": "<u4", "UInt64": "<u8", "Int8": "<i1", "Int16": "<i2", "Int32": "<i4",
    "Int64": "<i8", "DateTime": "<u4", "Date": "<u2", "Float64": "<f8",
}  # fmt: skip


def native_block(columns: Sequence[Column]) -> memoryview:
    """One block of the Native format.

    Args:
        columns: (name, ClickHouse type, data). Numbers are numpy arrays; 128- and 256-bit ones are (rows, width)
            bytes, least significant first; DateTime is seconds and Date days since 1970; strings are (rows, width)
            bytes or a sequence of bytes; Array(String) is a sequence of sequences; Nullable(T) is a pair of a mask,
            true where null, and data. Any of them may come as Parts.

    Raises:
        ValueError: columns of different lengths, or data that does not fit its type.
    """
    rows = {column_rows(data) for _, _, data in columns}
    if len(rows) != 1:
        raise ValueError(f"columns of {sorted(rows)} rows in one block")
    pieces: list[_Piece] = [_varint(len(columns)), _varint(rows.pop())]
    for name, kind, data in columns:
        bare = _bare(kind)
        for text in (name, bare):
            raw = text.encode()
            pieces += [_varint(len(raw)), raw]
        pieces += _encode(bare, data)
    return _filled(pieces)


def column_rows(data: ColumnData) -> int:
    """Number of rows a column's data holds."""
    return len(data[1]) if isinstance(data, tuple) and len(data) == 2 and isinstance(data[0], np.ndarray) else len(data)


def take_rows(data: ColumnData, rows: NDArray[np.int64]) -> ColumnData:
    """The values of a column at some rows, which ascend."""
    if isinstance(data, Parts):
        taken, start = [], 0
        for piece in data.pieces:
            end = start + column_rows(piece)
            taken.append(take_rows(piece, rows[(rows >= start) & (rows < end)] - start))
            start = end
        return Parts(taken)
    if isinstance(data, np.ndarray):
        return data[rows]
    if isinstance(data, tuple) and len(data) == 2 and isinstance(data[0], np.ndarray):
        return data[0][rows], data[1][rows]
    values: Any = data
    return [values[row] for row in rows.tolist()]


def _bare(kind: str) -> str:
    if kind.startswith("LowCardinality("):
        return kind[15:-1]
    return "DateTime" if kind.startswith("DateTime(") else kind


@dataclass(frozen=True, slots=True)
class _Framed:
    """Strings of one width, each written after its length."""

    prefix: bytes
    strings: NDArray[np.uint8]

    @property
    def nbytes(self) -> int:
        return self.strings.nbytes + len(self.prefix) * len(self.strings)


_Piece: TypeAlias = bytes | NDArray[Any] | _Framed


def _filled(pieces: Sequence[_Piece]) -> memoryview:
    sizes = [len(piece) if isinstance(piece, bytes) else piece.nbytes for piece in pieces]
    block = np.empty(sum(sizes), np.uint8)
    at = 0
    for piece, size in zip(pieces, sizes, strict=True):
        room = block[at : at + size]
        if isinstance(piece, bytes):
            room[:] = np.frombuffer(piece, np.uint8)
        elif isinstance(piece, _Framed):
            rows = room.reshape(len(piece.strings), len(piece.prefix) + piece.strings.shape[1])
            rows[:, : len(piece.prefix)] = np.frombuffer(piece.prefix, np.uint8)
            rows[:, len(piece.prefix) :] = piece.strings
        else:
            room[:] = np.ascontiguousarray(piece).reshape(-1).view(np.uint8)
        at += size
    return block.data


def _encode(kind: str, data: ColumnData) -> Iterator[_Piece]:
    if kind.startswith("Nullable("):
        yield from _encode_nullable(kind[9:-1], data)
    elif kind == "Array(String)":
        yield from _encode_arrays(data)
    elif isinstance(data, Parts):
        for piece in data.pieces:
            yield from _encode(kind, piece)
    else:
        yield _strings(data) if kind == "String" else _numbers(kind, data)


def _encode_nullable(kind: str, data: ColumnData) -> Iterator[_Piece]:
    pairs: Sequence[Any] = data.pieces if isinstance(data, Parts) else [data]
    for mask, _ in pairs:
        yield np.asarray(mask, np.uint8)
    for _, values in pairs:
        yield from _encode(kind, values)


def _encode_arrays(data: ColumnData) -> Iterator[_Piece]:
    pieces: Sequence[Any] = data.pieces if isinstance(data, Parts) else [data]
    rows: list[Sequence[bytes]] = [row for piece in pieces for row in piece]
    yield np.cumsum([len(row) for row in rows], dtype="<u8") if rows else np.empty(0, "<u8")
    yield _strings([item for row in rows for item in row])


def _numbers(kind: str, data: Any) -> NDArray[Any]:
    values = np.asarray(data)
    if kind in _NUMPY:
        if values.ndim != 1:
            raise ValueError(f"{kind} from an array of {values.ndim} dimensions")
        return values.astype(_NUMPY[kind], copy=False)
    width = _WIDTHS.get(kind)
    if width is None or values.dtype != np.uint8 or values.shape[1:] != (width,):
        raise ValueError(f"{kind} from {values.dtype} of shape {values.shape}")
    return values


def _strings(data: Any) -> _Piece:
    if isinstance(data, np.ndarray):
        if data.ndim != 2 or data.dtype != np.uint8:
            raise ValueError(f"strings from {data.dtype} of shape {data.shape}")
        return _Framed(_varint(data.shape[1]), data)
    return b"".join([_varint(len(item)) + item for item in data])


def _varint(number: int) -> bytes:
    encoded = bytearray()
    while number >= 128:
        encoded.append(number & 127 | 128)
        number >>= 7
    encoded.append(number)
    return bytes(encoded)
