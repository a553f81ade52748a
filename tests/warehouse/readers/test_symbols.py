"""The index of symbols in memory gives the same answers as the statement."""

from collections.abc import AsyncIterator
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from tests.factories.tokens import FORM_SCHEMA, SYMBOL_SCHEMA
from warehouse.clickhouse import AsyncWarehouse, Warehouse
from warehouse.domain.symbols import deletion_edits, deletion_forms, fold
from warehouse.readers import symbols as module
from warehouse.readers.search import read_near_symbols
from warehouse.readers.symbols import SymbolIndex, read_symbols

ALL = 1_000_000


@pytest.fixture
async def source(warehouse_url: str) -> AsyncIterator[AsyncWarehouse]:
    connection = await AsyncWarehouse.connect(warehouse_url)
    yield connection
    await connection.close()


def made_symbols(rng: np.random.Generator, count: int) -> list[str]:
    """Similar symbols: short ones of few letters, long ones with a common prefix, unusual ones."""
    letters = np.array(list("ABSO015"))
    short = ["".join(rng.choice(letters, rng.integers(1, 7))) for _ in range(count)]
    long = ["MOONSHOT" + "".join(rng.choice(letters, rng.integers(0, 16))) for _ in range(count)]
    odd = ["", "$PEPE", "РЕРЕ", "ÅBBA", "A" * 60, "A" * 59 + "B", "A" * 24, "币安人生", "A\x00B", "MOONSHOT" * 5]
    return list(dict.fromkeys([*short, *long, *odd]))


def insert(warehouse: Warehouse, rows: list[tuple[str, int, int, int]], version: int) -> None:
    """Write symbols given as key, tokens, score in thousandths, deleted."""
    listed = [
        {"symbol_key": key, "version": version, "deleted": deleted, "symbol_folded": fold(key), "token_count": tokens,
         "best_market_score": Decimal(score) / 1000}
        for key, tokens, score, deleted in rows
    ]  # fmt: skip
    forms = [
        {"form": form, "symbol_key": key}
        for key, *_ in rows
        for form in deletion_forms(fold(key), deletion_edits(fold(key)) if len(fold(key)) <= 22 else 0)
    ]
    warehouse.insert_arrow("serve_symbol", pa.Table.from_pylist(listed, schema=SYMBOL_SCHEMA))
    warehouse.insert_arrow("serve_symbol_form", pa.Table.from_pylist(forms, schema=FORM_SCHEMA))


async def assert_same(source: AsyncWarehouse, index: SymbolIndex, queries: list[str]) -> None:
    for query in queries:
        for edits in (0, 1, 2) if len(query) >= 9 else (0, 1) if len(query) >= 5 else (0,):
            limit = 7 + 40 * (len(query) % 2)
            asked: dict[str, Any] = {"edits": edits, "limit": limit}
            expected = await read_near_symbols(source, query, version=index.version, **asked)
            assert index.near(query, **asked) == expected, (query, edits)


@pytest.mark.slow
@pytest.mark.parametrize("rebuild_at", [0, 8_192])
async def test_the_index_equals_the_statement_in_every_version(
    source: AsyncWarehouse, warehouse: Warehouse, monkeypatch: pytest.MonkeyPatch, rebuild_at: int
) -> None:
    monkeypatch.setattr(module, "_REBUILD_AT", rebuild_at)
    rng = np.random.default_rng(3)
    known = made_symbols(rng, 150)

    def changed(chance: float) -> list[tuple[str, int, int, int]]:
        return [
            (key, int(rng.integers(1, 50)), int(rng.integers(0, 12)), int(rng.random() < 0.1))
            for key in known
            if rng.random() < chance
        ]

    insert(warehouse, changed(0.7), 1)
    index = SymbolIndex.build(await read_symbols(source, after=0, version=1, limit=ALL), 1)
    latin = [key for key in known if key.isascii() and key.isalnum() and len(key) <= 20]
    for version in (2, 3, 5):
        insert(warehouse, changed(0.2), version)
        index = index.advanced(await read_symbols(source, after=index.version, version=version, limit=ALL), version)
        asked = [str(query) for query in rng.choice(latin, 12)]
        near_misses = [query[:3] + "Q" + query[4:] for query in asked] + ["A" * 20, "A", "PEPE", "ZZZZZ", "M00NSHOTBA"]
        await assert_same(source, index, asked + near_misses)
    whole = await read_symbols(source, after=0, version=5, limit=ALL)
    assert len(index) == whole.num_rows - sum(whole.column("deleted").to_pylist())


async def test_a_version_without_symbols_finds_nothing(source: AsyncWarehouse) -> None:
    index = SymbolIndex.build(await read_symbols(source, after=0, version=1, limit=ALL), 1)
    assert (len(index), index.near("PEPE", edits=2, limit=5)) == (0, [])
    assert index.advanced(await read_symbols(source, after=1, version=2, limit=ALL), 2).version == 2
