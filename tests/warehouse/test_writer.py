"""Blocks inserted into the engine read back unchanged."""

import secrets
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from warehouse.clickhouse import Warehouse
from warehouse.engines import EngineUrls
from warehouse.writer import Parts, native_block

COLUMNS = {
    "u8": "UInt8",
    "u16": "UInt16",
    "u32": "UInt32",
    "u64": "UInt64",
    "i8": "Int8",
    "i16": "Int16",
    "i32": "Int32",
    "i64": "Int64",
    "u256": "UInt256",
    "i256": "Int256",
    "f64": "Float64",
    "time": "DateTime('UTC')",
    "day": "Date",
    "address": "String",
    "text": "String",
    "kind": "LowCardinality(String)",
    "maybe8": "Nullable(UInt8)",
    "maybe256": "Nullable(UInt256)",
    "topics": "Array(String)",
}
NUMBERS = {"u8": (0, 2**8), "u16": (0, 2**16), "u32": (0, 2**32), "u64": (0, 2**64)} | {
    f"i{bits}": (-(2 ** (bits - 1)), 2 ** (bits - 1)) for bits in (8, 16, 32, 64)
}
DTYPES = {name: np.dtype(f"{'uint' if name[0] == 'u' else 'int'}{name[1:]}") for name in NUMBERS}


def wide(values: list[int], signed: bool = False) -> np.ndarray[Any, Any]:
    raw = b"".join(value.to_bytes(32, "little", signed=signed) for value in values)
    return np.frombuffer(raw, np.uint8).reshape(-1, 32)


@st.composite
def tables(draw: st.DrawFn) -> list[dict[str, Any]]:
    row = st.fixed_dictionaries(
        {
            **{name: st.integers(low, high - 1) for name, (low, high) in NUMBERS.items()},
            "u256": st.integers(0, 2**256 - 1),
            "i256": st.integers(-(2**255), 2**255 - 1),
            "f64": st.floats(allow_nan=False, allow_infinity=False),
            "time": st.integers(0, 2**32 - 1),
            "day": st.integers(0, 2**16 - 1),
            "address": st.binary(min_size=20, max_size=20),
            "text": st.binary(max_size=300),
            "kind": st.sampled_from([b"", b"owner", b"admin"]),
            "maybe8": st.none() | st.integers(0, 255),
            "maybe256": st.none() | st.integers(0, 2**256 - 1),
            "topics": st.lists(st.binary(max_size=40), max_size=4),
        }
    )
    return draw(st.lists(row, min_size=1, max_size=30))


def columns_of(rows: list[dict[str, Any]]) -> list[tuple[str, str, Any]]:
    def values(name: str) -> list[Any]:
        return [row[name] for row in rows]

    def nullable(name: str) -> tuple[np.ndarray[Any, Any], list[int]]:
        return np.array([value is None for value in values(name)]), [value or 0 for value in values(name)]

    data: dict[str, Any] = {name: np.array(values(name), DTYPES[name]) for name in NUMBERS}
    data["u256"] = wide(values("u256"))
    data["i256"] = wide(values("i256"), signed=True)
    data["f64"] = np.array(values("f64"), np.float64)
    data["time"] = np.array(values("time"), np.uint32)
    data["day"] = np.array(values("day"), np.uint16)
    data["address"] = np.frombuffer(b"".join(values("address")), np.uint8).reshape(-1, 20)
    for name in ("text", "kind", "topics"):
        data[name] = values(name)
    mask, plain = nullable("maybe8")
    data["maybe8"] = (mask, np.array(plain, np.uint8))
    mask, plain = nullable("maybe256")
    data["maybe256"] = (mask, wide(plain))
    return [(name, kind, data[name]) for name, kind in COLUMNS.items()]


READ = """
SELECT
    u8, u16, u32, u64, i8, i16, i32, i64, u256, i256, f64, toUInt32(time) AS time, toUInt16(day) AS day,
    hex(address) AS address, hex(text) AS text, hex(toString(kind)) AS kind, maybe8, maybe256,
    arrayMap(topic -> hex(topic), topics) AS topics
FROM {table:Identifier}
"""


@pytest.fixture(scope="module")
def table(engines: EngineUrls) -> Iterator[tuple[Warehouse, str]]:
    name = f"block_{secrets.token_hex(4)}"
    columns = ", ".join(f"{column} {kind}" for column, kind in COLUMNS.items())
    with Warehouse.connect(engines.clickhouse_url) as warehouse:
        warehouse.command(f"CREATE TABLE {name} ({columns}) ENGINE = Memory")
        yield warehouse, name
        warehouse.command(f"DROP TABLE {name}")


@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(rows=tables())
def test_blocks_of_every_type_are_written_unchanged(table: tuple[Warehouse, str], rows: list[dict[str, Any]]) -> None:
    warehouse, name = table
    warehouse.command(f"TRUNCATE TABLE {name}")
    warehouse.insert_native(name, native_block(columns_of(rows)), token="t")

    def as_text(value: Any) -> Any:
        if isinstance(value, bytes):
            return value.hex().upper()
        return [as_text(item) for item in value] if isinstance(value, list) else value

    expected = [{column: as_text(value) for column, value in row.items()} for row in rows]
    assert warehouse.rows(READ, {"table": name}) == [{column: row[column] for column in COLUMNS} for row in expected]


def test_pieces_are_written_one_after_the_other(table: tuple[Warehouse, str]) -> None:
    warehouse, name = table
    warehouse.command(f"TRUNCATE TABLE {name}")
    parts = Parts([np.zeros((2, 20), np.uint8), np.ones((1, 32), np.uint8), [b"", b"xyz"]])
    warehouse.insert_native(name, native_block([("text", "String", parts)]), token="t")

    lengths = warehouse.scalar("SELECT groupArray(length(text)) FROM {table:Identifier}", {"table": name})
    assert lengths == [20, 20, 32, 0, 3]


def test_a_repeated_token_changes_nothing_even_with_other_data(warehouse: Warehouse) -> None:
    for number in (1, 2):
        block = native_block([("chain_id", "UInt32", np.array([1])), ("block_number", "UInt64", np.array([number]))])
        warehouse.insert_native("raw_block", block, token="unit:raw_block")

    assert warehouse.rows("SELECT block_number FROM raw_block") == [{"block_number": 1}]


@pytest.mark.parametrize(
    "columns",
    [
        [("a", "UInt8", np.zeros(2, np.uint8)), ("b", "UInt8", np.zeros(3, np.uint8))],
        [("a", "UInt256", np.zeros((2, 31), np.uint8))],
        [("a", "UInt64", np.zeros((2, 8), np.uint8))],
        [("a", "String", np.zeros(2, np.uint8))],
        [("a", "IPv4", np.zeros(2, np.uint32))],
    ],
    ids=["lengths", "width", "dimensions", "strings", "unknown type"],
)
def test_data_that_does_not_fit_its_type_is_refused(columns: list[tuple[str, str, Any]]) -> None:
    with pytest.raises(ValueError, match=r"columns|from"):
        native_block(columns)
