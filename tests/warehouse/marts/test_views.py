"""The marts' views: made of their declarations, readable, and pruned by text addresses."""

import re
from collections.abc import Iterator

import pytest

from warehouse.clickhouse import Warehouse
from warehouse.errors import MigrationError
from warehouse.marts import MARTS, Column, Mart, views
from warehouse.marts.database import MARTS_DATABASE, database_of

MINT = bytes(range(32))
MINT_TEXT = "1thX6LZfHDZZKUs92febYZhYRcXddmzfzF2NvTkPNE"
COARSER = {"Bool": "UInt8"}
"""Types that a statement gives for a declared one; the view converts them. So it does with DateTime."""


@pytest.fixture
def database(warehouse: Warehouse) -> str:
    return database_of(str(warehouse.scalar("SELECT currentDatabase()")))


@pytest.fixture
def two_chains(warehouse: Warehouse) -> None:
    """Two transfers each of 300 tokens on Base and of one mint on Solana, all published but the last."""
    warehouse.command(
        "INSERT INTO chain_config (chain_id, chain, caip2, native_symbol, native_decimals) VALUES"
        " (8453, 'base', 'eip155:8453', 'ETH', 18), (900900, 'solana', 'solana:5eykt', 'SOL', 9)"
    )
    warehouse.command(
        "INSERT INTO chain_publication (chain_id, generation, next_block, next_unit)"
        " SELECT arrayJoin([8453, 900900]), 1, 100, 1"
    )
    columns = "chain_id, token, block_number, block_time, from_address, to_address, amount_raw, transaction_hash"
    warehouse.command(
        f"INSERT INTO fact_transfer ({columns}) SELECT 8453, unhex(leftPad(hex(number % 300), 40, '0')), number % 2,"
        " 1700000000 + number % 2, repeat('\\0', 20), repeat('w', 20), 1500000000000000000, repeat('h', 32)"
        " FROM numbers(600)"
    )
    warehouse.command(
        f"INSERT INTO fact_transfer ({columns}) SELECT 900900, unhex({{mint:String}}), 99 + number, 1700000000,"
        " repeat('a', 32), repeat('b', 32), toUInt256('340282366920938463463374607431768211457'), repeat('s', 64)"
        " FROM numbers(2)",
        {"mint": MINT.hex()},
    )
    warehouse.command(
        "INSERT INTO agg_token (chain_id, token, symbol, name, decimals)"
        " SELECT 8453, unhex(leftPad('2a', 40, '0')), 'FISH', 'Fishes', 18"
    )


@pytest.mark.parametrize("mart", MARTS, ids=lambda mart: mart.name)
def test_a_view_has_the_declared_columns_and_is_readable(warehouse: Warehouse, database: str, mart: Mart) -> None:
    declared = [(column.name, column.type, column.comment) for column in mart.columns]
    made = warehouse.rows(f"DESCRIBE TABLE {database}.{mart.name}")
    assert [(row["name"], row["type"], row["comment"]) for row in made] == declared
    assert warehouse.rows(f"SELECT * FROM {database}.{mart.name} LIMIT 1") == []
    given = warehouse.rows(f"DESCRIBE TABLE ({views.statement(mart)})")
    bare = [(row["name"], re.sub(r"LowCardinality\((\w+)\)", r"\1", row["type"])) for row in given]
    assert bare == [
        (name, COARSER.get(kind, kind).replace("DateTime64(0, ", "DateTime(")) for name, kind, _ in declared
    ]


@pytest.mark.parametrize("mart", MARTS, ids=lambda mart: mart.name)
def test_a_declaration_is_consistent(mart: Mart) -> None:
    names = mart.column_names
    assert len(set(names)) == len(names)
    assert set(mart.key) <= set(names)
    assert mart.month_of is None or mart.month_of in names
    assert all(column.comment.endswith(".") for column in mart.columns)
    assert names[:3] == ["chain", "chain_id", "caip2"]
    assert "as_of_block" in names


@pytest.mark.usefixtures("two_chains")
def test_rows_are_text_with_names_and_units(warehouse: Warehouse, database: str) -> None:
    token = "0x" + "2a".rjust(40, "0")
    rows = warehouse.rows(f"SELECT * FROM {database}.transfers WHERE token = '{token}' ORDER BY block_number")
    assert len(rows) == 2
    row = rows[0]
    assert (row["chain"], row["caip2"], row["as_of_block"]) == ("base", "eip155:8453", 99)
    assert (row["symbol"], row["name"], row["kind"]) == ("FISH", "Fishes", "mint")
    assert (row["amount"], row["amount_raw"]) == (1.5, "1500000000000000000")
    assert row["to_address"] == "0x" + "77" * 20
    assert row["transaction_hash"] == "0x" + "68" * 32
    assert row["block_time"].isoformat() == "2023-11-14T22:13:20+00:00"


@pytest.mark.usefixtures("two_chains")
def test_solana_reads_the_same_in_base58(warehouse: Warehouse, database: str) -> None:
    rows = warehouse.rows(f"SELECT * FROM {database}.transfers WHERE chain = 'solana'")
    assert [(row["token"], row["block_number"]) for row in rows] == [(MINT_TEXT, 99)]
    assert rows[0]["amount"] is None
    assert rows[0]["amount_raw"] == "340282366920938463463374607431768211457"
    assert not rows[0]["transaction_hash"].startswith("0x")


@pytest.mark.usefixtures("two_chains")
def test_a_filter_by_text_address_reads_one_granule(warehouse: Warehouse, database: str) -> None:
    warehouse.command(
        "INSERT INTO fact_transfer (chain_id, token, block_number, block_time)"
        " SELECT 8453, unhex(leftPad(hex(number % 40), 40, 'f')), number, 1700000000 FROM numbers(200000)"
    )
    token = "0x" + hex(7)[2:].upper().rjust(40, "f").lower()
    plan = warehouse.rows(f"EXPLAIN indexes = 1 SELECT count() FROM {database}.transfers WHERE token = '{token}'")
    text = "\n".join(str(next(iter(row.values()))) for row in plan)
    index = text[text.index("Name: token_text") :]
    read, of = map(int, re.findall(r"Granules: (\d+)/(\d+)", index)[0])
    assert read <= 3
    assert of >= 20


@pytest.mark.usefixtures("two_chains")
def test_a_filter_by_time_reads_one_month(warehouse: Warehouse, database: str) -> None:
    warehouse.command(
        "INSERT INTO fact_transfer (chain_id, token, block_number, block_time)"
        " SELECT 8453, repeat('t', 20), 1, toDateTime('2025-01-01 00:00:00', 'UTC') + number * 60 FROM numbers(200000)"
    )
    for condition in ("block_time >= '2025-05-01 00:00:00'", "toDate(block_time) >= '2025-05-01'"):
        plan = warehouse.rows(f"EXPLAIN indexes = 1 SELECT sum(amount) FROM {database}.transfers WHERE {condition}")
        text = "\n".join(str(next(iter(row.values()))) for row in plan)
        index = text[text.index("fact_transfer") :]
        read, of = map(int, re.findall(r"Granules: (\d+)/(\d+)", index)[0])
        assert read <= of / 4, condition


@pytest.mark.usefixtures("restored")
def test_views_are_made_again_only_after_a_change(
    warehouse: Warehouse, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    main = database.removesuffix(f"_{MARTS_DATABASE}")
    made = "SELECT max(metadata_modification_time) AS t, count() AS n FROM system.tables WHERE database = {d:String}"
    before = warehouse.rows(made, {"d": database})
    views.apply(warehouse, main)
    assert warehouse.rows(made, {"d": database}) == before
    monkeypatch.setattr(views, "MARTS", MARTS[:-1])
    views.apply(warehouse, main)
    assert warehouse.rows(made, {"d": database})[0]["n"] == len(MARTS) - 1


@pytest.fixture
def restored(warehouse: Warehouse, database: str) -> Iterator[None]:
    yield
    views.apply(warehouse, database.removesuffix(f"_{MARTS_DATABASE}"))


@pytest.mark.usefixtures("restored")
def test_a_view_that_cannot_be_made_is_named(
    warehouse: Warehouse, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = Mart(
        name="transfers", comment="x", grain="x", key=(), internals=(), columns=[Column("a", "Unheard", "A type.")]
    )
    monkeypatch.setattr(views, "MARTS", (broken,))
    with pytest.raises(MigrationError, match=rf"{database}\.transfers"):
        views.apply(warehouse, database.removesuffix(f"_{MARTS_DATABASE}"))
