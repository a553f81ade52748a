"""What every database, table, view and column of the warehouse holds, in one sentence each.

Marts declare theirs (``warehouse.marts``); ``catalogue.toml`` says it of everything else. ``apply`` writes all of it to
the warehouse as comments; the data dictionary (``warehouse.dictionary``) is made of the same texts.
"""

import tomllib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from warehouse.clickhouse import Warehouse

DATABASE_COMMENT = "What chains say, what follows from it, and what is served. Analysts query the marts."
_PUBLISHED = "published_"
_TABLES = "SELECT name, engine, comment FROM system.tables WHERE database = currentDatabase() ORDER BY name"
_COLUMNS = """SELECT table, name, type, comment FROM system.columns
              WHERE database = currentDatabase() ORDER BY table, position"""


@dataclass(frozen=True, slots=True)
class ColumnFound:
    """A column as the warehouse has it."""

    name: str
    type: str
    comment: str


@dataclass(frozen=True, slots=True)
class TableFound:
    """A table or view as the warehouse has it."""

    name: str
    is_view: bool
    comment: str
    columns: Sequence[ColumnFound]


@dataclass(frozen=True, slots=True)
class _Catalogue:
    """The file: texts of columns that mean the same everywhere, and of each table with its other columns."""

    columns: Mapping[str, str]
    tables: Mapping[str, Mapping[str, str]]
    comments: Mapping[str, str]


def text() -> str:
    """The catalogue's file."""
    return (Path(__file__).parent / "catalogue.toml").read_text()


@cache
def _catalogue() -> _Catalogue:
    found = tomllib.loads(text())
    tables = found["tables"]
    return _Catalogue(
        found["columns"],
        {name: table.get("columns", {}) for name, table in tables.items()},
        {name: table["comment"] for name, table in tables.items()},
    )


def table_comment(table: str) -> str:
    """What a table or view holds; empty when the catalogue does not say."""
    comments = _catalogue().comments
    base = table.removeprefix(_PUBLISHED)
    return comments.get(table) or (f"Published rows. {comments[base]}" if base in comments else "")


def column_comment(table: str, column: str) -> str:
    """What a column holds; empty when the catalogue does not say. A published view's are those of its table."""
    catalogue = _catalogue()
    for name in (table, table.removeprefix(_PUBLISHED)):
        if column in catalogue.tables.get(name, {}):
            return catalogue.tables[name][column]
    return catalogue.columns.get(column, "")


def tables_of(warehouse: Warehouse) -> list[TableFound]:
    """The tables and views of the connection's database."""
    columns = defaultdict(list)
    for row in warehouse.rows(_COLUMNS):
        columns[row["table"]].append(ColumnFound(row["name"], row["type"], row["comment"]))
    return [
        TableFound(row["name"], row["engine"] == "View", row["comment"], columns[row["name"]])
        for row in warehouse.rows(_TABLES)
    ]


def apply(warehouse: Warehouse) -> None:
    """Write the comments that differ to the connection's database. Repeating it changes nothing."""
    database = warehouse.scalar("SELECT currentDatabase()")
    comment = warehouse.scalar("SELECT comment FROM system.databases WHERE name = {name:String}", {"name": database})
    if comment != DATABASE_COMMENT:
        warehouse.command(f"ALTER DATABASE `{database}` MODIFY COMMENT {_text(DATABASE_COMMENT)}")
    for table in tables_of(warehouse):
        wanted = table_comment(table.name)
        if wanted and wanted != table.comment:
            warehouse.command(f"ALTER TABLE `{table.name}` MODIFY COMMENT {_text(wanted)}")
        changes = [
            f"COMMENT COLUMN `{column.name}` {_text(holds)}"
            for column in table.columns
            if (holds := column_comment(table.name, column.name)) and holds != column.comment
        ]
        if changes:
            warehouse.command(f"ALTER TABLE `{table.name}` {', '.join(changes)}")


def _text(value: str) -> str:
    return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"
