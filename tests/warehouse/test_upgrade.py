"""Data of the previous release: every table of its schema, filled with rows, is migrated to now and keeps them."""

import secrets
from collections.abc import Iterator

import pytest

from warehouse import migrate, postgres
from warehouse.backup.clickhouse_copy import drop_databases, list_tables
from warehouse.clickhouse import Warehouse
from warehouse.engines import EngineUrls
from warehouse.postgres import with_database

pytestmark = pytest.mark.slow

# The schema of the release before the marts.
WAREHOUSE, STORE = 14, "0032"
ROWS = 5


@pytest.fixture
def previous(engines: EngineUrls, warehouse_server: Warehouse) -> Iterator[EngineUrls]:
    """Databases with the previous release's schema, without rows."""
    name = f"previous_{secrets.token_hex(6)}"
    urls = EngineUrls(f"{engines.clickhouse_url.rpartition('/')[0]}/{name}", with_database(engines.database_url, name))
    with postgres.connect(engines.database_url, autocommit=True) as server:
        server.execute(f"CREATE DATABASE {name}")
        migrate.apply_warehouse(urls.clickhouse_url, up_to=WAREHOUSE)
        migrate.apply_store(urls.database_url, up_to=STORE)
        yield urls
        server.execute(f"DROP DATABASE {name} WITH (FORCE)")
    drop_databases(warehouse_server, name)


def fill_warehouse(warehouse: Warehouse, database: str) -> dict[str, tuple[list[str], list[str]]]:
    """Put rows into every table, the same ones each time. Returns each table's columns and rows."""
    kept = {}
    for table in list_tables(warehouse, database):
        if table.is_view or table.name.startswith(("work_", "schema_")):
            continue
        columns = warehouse.rows(
            "SELECT name, type FROM system.columns WHERE database = currentDatabase() AND table = {table:String}"
            " AND default_kind NOT IN ('MATERIALIZED', 'ALIAS') ORDER BY position",
            {"table": table.name},
        )
        structure = ", ".join(f"{column['name']} {column['type']}" for column in columns)
        names = [column["name"] for column in columns]
        # Random decimals are larger than any score or price.
        values = ", ".join(
            f"CAST(rowNumberInAllBlocks() AS {column['type']})" if "Decimal" in column["type"] else column["name"]
            for column in columns
        )
        warehouse.command(
            f"INSERT INTO {table.name} ({', '.join(names)})"
            f" SELECT {values} FROM generateRandom({{structure:String}}, 1, 8, 3) LIMIT {ROWS}",
            {"structure": structure},
        )
        kept[table.name] = (names, read(warehouse, table.name, names))
    return kept


def read(warehouse: Warehouse, table: str, columns: list[str]) -> list[str]:
    rows = warehouse.rows(f"SELECT hex(formatRow('RowBinary', {', '.join(columns)})) AS row FROM {table} ORDER BY row")
    return [row["row"] for row in rows]


STORE_ROWS = (
    "INSERT INTO account (wallet, plan) VALUES ('0xaa', 'free'), ('0xbb', 'developer')",
    "INSERT INTO chain_checkpoint (chain_id, generation, block_number, block_hash, pending)"
    """ VALUES (8453, 7, 77, '0x01', '{"unit_id": 9, "phase": "facts"}'), (900900, 1, NULL, NULL, NULL)""",
    "INSERT INTO ingest_unit (unit_id, chain_id, first_block, last_block, last_hash, status)"
    " VALUES (8, 8453, 1, 77, '0x01', 'published')",
    "INSERT INTO derive_checkpoint (subject, chain_id, change_id, details) VALUES ('holders', 8453, 8, '{}')",
    "INSERT INTO native_price (chain_id, price_usd, source, as_of_block, as_of_time)"
    " VALUES (8453, 3000.5, 'pool', 77, now())",
    "INSERT INTO service_counter (name, chain_id, value) VALUES ('units', 8453, 12)",
)


def store_rows(url: str, tables: list[str] | None = None) -> dict[str, list[dict[str, object]]]:
    with postgres.connect(url, autocommit=True) as store:
        if tables is None:
            listed = postgres.run(store, "schema/list_tables", {"schema": "public", "not_ours": "alembic_version"})
            tables = [row["name"] for row in listed]
        return {name: store.execute(f"SELECT * FROM {name} ORDER BY 1, 2").fetchall() for name in tables}


def test_rows_of_the_previous_release_are_intact_after_the_migrations(previous: EngineUrls) -> None:
    database = migrate.database_of(previous.clickhouse_url)
    with Warehouse.connect(previous.clickhouse_url) as warehouse:
        kept = fill_warehouse(warehouse, database)
        with postgres.connect(previous.database_url) as store:
            for statement in STORE_ROWS:
                store.execute(statement)
        before = store_rows(previous.database_url)

        migrate.apply(previous.clickhouse_url, previous.database_url)

        assert len(kept) > 20
        assert all(len(rows) == ROWS for _, rows in kept.values())
        for table, (columns, rows) in kept.items():
            assert read(warehouse, table, columns) == rows, table
    after = store_rows(previous.database_url, list(before))
    for table, rows in before.items():
        found = after[table]
        assert [{name: row[name] for name in old} for row, old in zip(found, rows, strict=True)] == rows, table
    assert sum(map(len, before.values())) > len(STORE_ROWS)
    assert migrate.status(previous.clickhouse_url, previous.database_url).current
