"""The declared fact tables against the migrated warehouse."""

from dataclasses import fields

import pytest

from warehouse.clickhouse import Warehouse
from warehouse.domain.facts import FACT_TABLES
from warehouse.domain.registrations import RegistryEvent

COLUMNS = """SELECT name, type FROM system.columns
             WHERE database = currentDatabase() AND table = {table:String} ORDER BY position"""
TABLES = """SELECT DISTINCT table FROM system.columns
            WHERE database = currentDatabase() AND name = 'unit_id' ORDER BY table"""


@pytest.mark.parametrize("table", FACT_TABLES)
def test_declared_columns_are_those_of_the_migrations(warehouse: Warehouse, table: str) -> None:
    found = [(row["name"], row["type"]) for row in warehouse.rows(COLUMNS, {"table": table})]
    declared = [(name, kind.declared) for name, kind in FACT_TABLES[table].columns.items()]
    assert found == [("chain_id", "UInt32"), *declared, ("unit_id", "UInt64")]


def test_every_table_that_units_write_is_declared(warehouse: Warehouse) -> None:
    found = {row["table"] for row in warehouse.rows(TABLES)}
    assert {table for table in found if not table.startswith("published_")} == set(FACT_TABLES)


def test_a_registry_event_has_a_column_for_every_field() -> None:
    assert {field.name for field in fields(RegistryEvent)} <= set(FACT_TABLES["fact_registry_event"].columns)
