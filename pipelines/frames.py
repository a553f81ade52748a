"""Rows of Python values to Arrow tables in the types of our ClickHouse columns."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias, get_type_hints

import pyarrow

# Its annotations stop at the surface; what we use of it is small and tested.
pa: Any = pyarrow

Kind: TypeAlias = Any
"""An Arrow type, or one of the names below."""

Table: TypeAlias = Any
"""A ``pyarrow.Table``."""

TEXT: Kind = pa.string()
UINT8: Kind = pa.uint8()
UINT32: Kind = pa.uint32()
UINT64: Kind = pa.uint64()
HEX = "hex"
"""Binary string, given as hexadecimal text."""
HEXES = "hexes"
"""Array of binary strings, given as hexadecimal texts."""
TEXTS = "texts"
UINT256 = "uint256"
TIME = "time"
"""DateTime, given in seconds since 1970."""


def decimal(precision: int, scale: int) -> Kind:
    """The Arrow type of a ClickHouse Decimal."""
    return pa.decimal128(precision, scale) if precision <= 38 else pa.decimal256(precision, scale)


def table(columns: Mapping[str, Kind], rows: Sequence[Mapping[str, Any]]) -> Table:
    """An Arrow table of ``rows``; each column is given by its Arrow type or one of the names above."""
    return pa.table({name: _array(kind, [row[name] for row in rows]) for name, kind in columns.items()})


def kinds(record: type) -> dict[str, Kind]:
    """The columns of a record class whose fields are annotated with their kinds: ``Annotated[int, UINT64]``."""
    return {name: hint.__metadata__[0] for name, hint in get_type_hints(record, include_extras=True).items()}


def of_tuples(columns: Mapping[str, Kind], rows: Sequence[tuple[Any, ...]]) -> Table:
    """An Arrow table of at least one row; each has its values in the order of the columns."""
    return of_columns(columns, dict(zip(columns, map(list, zip(*rows, strict=True)), strict=True)))


def of_columns(columns: Mapping[str, Kind], values: Mapping[str, list[Any]]) -> Table:
    """The same of columns."""
    return pa.table({name: _array(kind, values[name]) for name, kind in columns.items()})


def _array(kind: Kind, values: list[Any]) -> Any:
    if not isinstance(kind, str):
        return pa.array(values, kind)
    arrow, convert = _KINDS[kind]
    return pa.array([None if value is None else convert(value) for value in values], arrow)


def _unhex(value: str) -> bytes:
    return bytes.fromhex(value)


def _unhex_all(values: Sequence[str]) -> list[bytes]:
    return [bytes.fromhex(value) for value in values]


def _little_endian(value: int) -> bytes:
    return value.to_bytes(32, "little")


_KINDS: dict[str, tuple[Any, Callable[[Any], Any]]] = {
    HEX: (pa.binary(), _unhex),
    HEXES: (pa.list_(pa.binary()), _unhex_all),
    TEXTS: (pa.list_(pa.string()), list),
    UINT256: (pa.binary(32), _little_endian),
    TIME: (pa.uint32(), int),
}


def key_table(keys: Sequence[str]) -> Table:
    """Binary keys, given as hexadecimal texts, for a working table."""
    return pa.table({"key": pa.array([bytes.fromhex(key) for key in keys], pa.binary())})
