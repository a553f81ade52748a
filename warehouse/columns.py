"""Columns of the tables of both stores, for what may not ask an engine. They are read from the committed descriptions
that ``make schema`` writes; tests compare these with the databases that the migrations make."""

import re
from collections.abc import Mapping
from functools import cache

from warehouse import sql
from warehouse.catalogue import tables_of
from warehouse.clickhouse import Warehouse

_COLUMN = re.compile(r"  (\w+) (.+?)(?: NOT NULL.*| DEFAULT .*| GENERATED .*| IDENTITY)?")


def describe(warehouse: Warehouse) -> str:
    """The warehouse's tables with the types of their columns, without views."""
    found = [table for table in tables_of(warehouse) if not table.is_view]
    return (
        "\n\n".join(
            "\n".join([f"table {table.name}", *(f"  {column.name} {column.type}" for column in table.columns)])
            for table in found
        )
        + "\n"
    )


@cache
def columns_of(table: str) -> Mapping[str, str]:
    """Types of a table's columns, in order; empty for a table of neither store."""
    return _described("warehouse").get(table) or _described("store").get(table) or {}


@cache
def _described(engine: str) -> Mapping[str, Mapping[str, str]]:
    tables: dict[str, dict[str, str]] = {}
    for part in (sql.directory() / engine / "schema.txt").read_text().split("\n\n"):
        head, *lines = part.splitlines()
        if head.startswith("table "):
            columns = (_COLUMN.fullmatch(line) for line in lines if not re.match(r"  \w+: ", line))
            tables[head.split()[1]] = {found[1]: found[2] for found in columns if found is not None}
    return tables
