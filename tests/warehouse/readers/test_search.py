"""Readers of the search tables, over rows of a real engine."""

from collections.abc import AsyncIterator
from decimal import Decimal

import pytest

from tests.factories.tokens import publish, token_row, token_table
from warehouse.clickhouse import AsyncWarehouse, Warehouse
from warehouse.readers.search import (
    read_documents,
    read_near_symbols,
    read_publication,
    read_token_rows,
)
from warehouse.readers.tokens import read_foremost_token


@pytest.fixture
async def source(warehouse_url: str) -> AsyncIterator[AsyncWarehouse]:
    connection = await AsyncWarehouse.connect(warehouse_url)
    yield connection
    await connection.close()


async def test_an_empty_warehouse_has_no_rows(source: AsyncWarehouse) -> None:
    assert await read_publication(source) is None
    assert await read_near_symbols(source, "PEPE", edits=2, limit=5, version=9) == []
    rows = await read_token_rows(source, ["PEPE"], version=9, sort_column="price_usd")
    assert len(rows) == 0
    assert await read_documents(source, rows, []) == {}
    assert await read_foremost_token(source, "PEPE", 1, version=9) is None


async def test_reads_the_newest_publication_up_to_a_version(source: AsyncWarehouse, warehouse: Warehouse) -> None:
    publish(warehouse, [token_row("A", address=1)], version=2)
    publish(warehouse, [token_row("A", address=1)], version=5)
    newest = await read_publication(source)
    older = await read_publication(source, 4)
    assert newest is not None
    assert older is not None
    assert (newest.version, newest.as_of_blocks, older.version) == (5, {8453: 500, 100: 500}, 2)
    assert newest.published_at.tzinfo is not None


async def test_each_token_is_read_as_of_a_version(source: AsyncWarehouse, warehouse: Warehouse) -> None:
    for version, price in ((1, "1"), (3, "3"), (4, "4")):
        publish(warehouse, [token_row("PEPE", address=1, price_usd=Decimal(price))], version=version)
    warehouse.insert_arrow("serve_token", token_table([token_row("PEPE", address=1, version=6, deleted=1)]))
    prices = {}
    for version in range(8):
        rows = await read_token_rows(source, ["PEPE"], version=version, sort_column="price_usd")
        documents = await read_documents(source, rows, range(len(rows)))
        prices[version] = [document["price_usd"] for document in documents.values()]
    assert prices == {0: [], 1: ["1"], 2: ["1"], 3: ["3"], 4: ["4"], 5: ["4"], 6: [], 7: []}


async def test_documents_are_the_same_with_and_without_the_rows(source: AsyncWarehouse, warehouse: Warehouse) -> None:
    publish(warehouse, [token_row("PEPE", address=number, name=f'"{number}" Ä') for number in range(1, 6)])
    inline = await read_token_rows(source, ["PEPE"], version=1, sort_column="name", with_documents=True)
    apart = await read_token_rows(source, ["PEPE"], version=1, sort_column="name")
    assert await read_documents(source, inline, [0, 3]) == await read_documents(source, apart, [0, 3])
    assert {document["name"] for document in (await read_documents(source, apart, range(5))).values()} == {
        f'"{number}" Ä' for number in range(1, 6)
    }


async def test_the_ranking_record_holds_the_row(source: AsyncWarehouse, warehouse: Warehouse) -> None:
    original = token_row("PEPE", address=0xAA01, chain_id=1)
    row = token_row(
        "PEPE",
        address=b"\x22" * 32,
        chain_id=900900,
        copy_of=original,
        registered=True,
        made_by_factory=1,
        market_score=Decimal("0.123456789"),
        heartbeat_score=Decimal("61.25"),
    )
    publish(warehouse, [original, row])
    rows = await read_token_rows(source, ["DOGE", "PEPE"], version=1, sort_column="name")
    place = rows.chain_id.tolist().index(900900)
    other = 1 - place
    assert rows.key(place) == (900900, "22" * 32, 1)
    assert rows.key(other) == (1, f"{0xAA01:040x}", 1)
    assert rows.symbol.tolist() == [1, 1]
    assert rows.copy_of_address[place].tobytes() == original["address"].ljust(32, b"\0")
    assert rows.copy_of_chain_id.tolist()[place] == 1
    assert rows.factory_owner[place].tobytes() == b"\x0e" * 20
    assert not rows.factory_owner[other].any()
    assert (rows.market_score[place], rows.heartbeat_hundredths[place]) == (123456789, 6125)
    assert (rows.heartbeat_hundredths[other], rows.registered[place], rows.registered[other]) == (-1, 1, 0)
    assert rows.registered_at[place] == int(row["registered_at"].timestamp())


@pytest.mark.parametrize(
    ("column", "values"),
    [
        ("price_usd", [Decimal("1e-36"), Decimal("2e-36"), Decimal("1e39"), None]),
        ("market_cap_usd", [Decimal("-5"), Decimal("0.000001"), Decimal("1e69"), None]),
        ("price_change_24h", [Decimal("-99.999999"), Decimal("0"), Decimal("1e30"), None]),
        ("heartbeat_score", [Decimal("0"), Decimal("99.99"), Decimal("100"), None]),
        ("holders", [0, 1, 2**64 - 1, None]),
        ("name", ["alpha", "Beta", "gamma", ""]),
    ],
)
async def test_sort_values_keep_every_digit(
    source: AsyncWarehouse, warehouse: Warehouse, column: str, values: list[object]
) -> None:
    import numpy as np

    given = list(reversed(values))
    publish(warehouse, [token_row("PEPE", address=number + 1, **{column: value}) for number, value in enumerate(given)])
    rows = await read_token_rows(source, ["PEPE"], version=1, sort_column=column)
    for descending in (False, True):
        order = np.lexsort(rows.sort_value.ordered(descending=descending))
        found = [given[int(rows.address[place, 19]) - 1] for place in order]
        assert found == ([*reversed(values[:3]), values[3]] if descending else values)


async def test_near_symbols_follow_versions_and_market(source: AsyncWarehouse, warehouse: Warehouse) -> None:
    publish(warehouse, [token_row("PEPECAT", address=1), token_row("PEPEDOG", address=2, market_score=Decimal("0.5"))])
    publish(warehouse, [token_row("PEPECAT", address=1, market_score=Decimal("0.9"))], version=2)
    before = await read_near_symbols(source, "PEPE", edits=0, limit=5, version=1)
    after = await read_near_symbols(source, "PEPE", edits=0, limit=5, version=2)
    assert [near.symbol for near in before] == ["PEPEDOG", "PEPECAT"]
    assert [near.symbol for near in after] == ["PEPECAT", "PEPEDOG"]
    assert [near.tokens for near in after] == [1, 1]
    warehouse.command("INSERT INTO serve_symbol VALUES ('PEPECAT', 3, 1, 'PEPECAT', 0, 0)")
    gone = await read_near_symbols(source, "PEPE", edits=0, limit=5, version=3)
    assert [near.symbol for near in gone] == ["PEPEDOG"]


async def test_rows_if_newest_are_empty_for_other_versions(source: AsyncWarehouse, warehouse: Warehouse) -> None:
    publish(warehouse, [token_row("PEPE", address=1)], version=2)

    async def found(version: int) -> int:
        rows = await read_token_rows(source, ["PEPE"], version=version, sort_column="price_usd", if_newest=True)
        return len(rows)

    assert [await found(version) for version in (1, 2, 3)] == [0, 1, 0]
    publish(warehouse, [token_row("OTHER", address=2)], version=3)
    assert [await found(version) for version in (2, 3)] == [0, 1]


async def test_a_token_that_changed_its_symbol_is_found_once_with_the_new_one(
    source: AsyncWarehouse, warehouse: Warehouse
) -> None:
    publish(warehouse, [token_row("OLD", address=1)], version=1)
    for old, new in (("OLD", "NEW"), ("NEW", "ANEW")):
        version = 2 if old == "OLD" else 3
        rows = [token_row(old, address=1, version=version, deleted=1), token_row(new, address=1, version=version)]
        publish(warehouse, rows, version=version)
        read = await read_token_rows(source, ["OLD", "NEW", "ANEW"], version=version, sort_column="price_usd")
        documents = await read_documents(source, read, range(len(read)))
        assert [document["symbol"] for document in documents.values()] == [new]
