"""The warehouse's copy: clones of all tables at one point, which ClickHouse's own BACKUP writes to the target.

``CREATE TABLE … CLONE AS`` links the parts of a table instead of copying them, so all tables are cloned within a
second, while the writers wait. The clones do not change any more; BACKUP then copies them while the service goes on.
It writes all parts (a full backup) or only those that an earlier full backup lacks.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from warehouse import sql
from warehouse.clickhouse import Warehouse
from warehouse.errors import WarehouseError
from warehouse.marts.database import database_of

_POLL_SECONDS = 0.2
_WITHOUT_ROWS = ("work_", "schema_views")
"""Prefixes of tables that a backup has empty: scratch tables of a refresh run, and the note of what the marts were made
of. So the next migration makes the marts, whose views name the user who made them."""

Progress = Callable[[int, int], None]
"""Called with bytes done and bytes in all, as far as known."""


class CopyFailed(Exception):
    """BACKUP or RESTORE failed; the message is ClickHouse's."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table or a view."""

    database: str
    name: str
    is_view: bool
    keeps_rows: bool
    """Nothing but a statement changes how many rows it has: it neither merges rows nor lets them expire."""
    rows: int = 0

    @property
    def quoted(self) -> str:
        """The name in statements."""
        return f"{sql.quoted(self.database)}.{sql.quoted(self.name)}"


@contextmanager
def cloned(warehouse: Warehouse, database: str) -> Iterator["Clones"]:
    """A place for clones of a database's tables, removed at the end of the block."""
    clones = Clones(warehouse, database, f"{database}_backup")
    clones.drop()  # of a backup that was killed
    try:
        yield clones
    finally:
        clones.drop()


class Clones:
    """Clones of a database's tables, in a database of their own."""

    def __init__(self, warehouse: Warehouse, database: str, home: str) -> None:
        self._database = database
        self._warehouse = warehouse
        self._home = home
        self._tables: list[Table] = []

    def make(self) -> None:
        """Clone every table as it is now. Nobody may write meanwhile."""
        self._warehouse.command(f"CREATE DATABASE {sql.quoted(self._home)} ENGINE = Atomic")
        self._tables = list_tables(self._warehouse, self._database)
        for table in self._tables:
            if not table.is_view:
                how = "AS" if table.name.startswith(_WITHOUT_ROWS) else "CLONE AS"
                self._warehouse.command(f"CREATE TABLE {self._clone(table)} {how} {table.quoted}")

    def rows(self) -> dict[str, int]:
        """Rows of each table, by its name."""
        counted = {table.name: table.rows for table in list_tables(self._warehouse, self._home)}
        return {table.name: counted[table.name] for table in self._tables if not table.is_view}

    def views(self) -> tuple[str, ...]:
        """Names of the views."""
        return tuple(table.name for table in self._tables if table.is_view)

    def back_up(self, name: str, target: str, full: str | None, progress: Progress) -> None:
        """Write the clones, under the names of their tables, and the views to ``target``.

        Args:
            name: the backup's name.
            target: where to write, as ClickHouse names it.
            full: the full backup whose parts are not written again, if any.
            progress: told how far it is.

        Raises:
            CopyFailed: ClickHouse could not.
        """
        elements = [
            f"TABLE {table.quoted}" if table.is_view else f"TABLE {self._clone(table)} AS {table.quoted}"
            for table in self._tables
        ]
        _run(self._warehouse, "BACKUP", elements, f"TO {target}", f"backup {name}", full, progress)

    def drop(self) -> None:
        """Remove the clones."""
        self._warehouse.command(f"DROP DATABASE IF EXISTS {sql.quoted(self._home)} SYNC")

    def _clone(self, table: Table) -> str:
        return f"{sql.quoted(self._home)}.{sql.quoted(table.name)}"


def restore(
    warehouse: Warehouse,
    tables: Iterable[str],
    databases: tuple[str, str],
    source: str,
    full: str | None,
    progress: Progress,
) -> None:
    """Restore tables and views that do not exist.

    Args:
        warehouse: a connection to the server.
        tables: their names.
        databases: the database in the backup, and the one to restore to, which is made.
        source: where the backup is, as ClickHouse names it.
        full: where its full backup is, if it builds on one.
        progress: told how far it is.

    Raises:
        CopyFailed: ClickHouse could not.
    """
    old, new = map(sql.quoted, databases)
    warehouse.command(f"CREATE DATABASE IF NOT EXISTS {new} ENGINE = Atomic")
    elements = [f"TABLE {old}.{sql.quoted(name)} AS {new}.{sql.quoted(name)}" for name in tables]
    _run(warehouse, "RESTORE", elements, f"FROM {source}", "the restore", full, progress)


def drop_databases(warehouse: Warehouse, database: str) -> None:
    """Remove the service's database and that of its marts, with all that is in them."""
    for name in (database_of(database), database):
        warehouse.command(f"DROP DATABASE IF EXISTS {sql.quoted(name)} SYNC")


def list_tables(warehouse: Warehouse, database: str) -> list[Table]:
    """All tables and views of a database."""
    rows = warehouse.rows(sql.load("queries/backup/tables"), {"database": database})
    return [
        Table(row["database"], row["name"], bool(row["is_view"]), bool(row["keeps_rows"]), row["rows"]) for row in rows
    ]


def _run(
    warehouse: Warehouse,
    verb: str,
    elements: Sequence[str],
    place: str,
    label: str,
    full: str | None,
    progress: Progress,
) -> None:
    """Start the statement in the background of the server, whose connections need not last as long, and await it."""
    operation = f"{label} {time.time_ns()}"
    settings = [f"id = '{operation}'"]
    if full is not None:
        # The backup's own note of where its full one is holds for the place where it was written; it may have moved.
        settings.append(f"base_backup = {full}")
        if full.startswith("S3"):
            settings.append("use_same_s3_credentials_for_base_backup = 1")
    statement = f"{verb} {', '.join(elements)} {place} SETTINGS {', '.join(settings)} ASYNC"
    try:
        warehouse.command(statement)
        while (state := _state(warehouse, operation))["status"] in ("CREATING_BACKUP", "RESTORING"):
            progress(state["done"], state["total"])
            time.sleep(_POLL_SECONDS)
    except WarehouseError as error:
        raise CopyFailed(f"ClickHouse refused {label}: {_first_line(error.message)}") from None
    if state["status"] not in ("BACKUP_CREATED", "RESTORED"):
        raise CopyFailed(f"ClickHouse failed at {label}: {_first_line(state['error'])}")
    progress(state["total"], state["total"])


def _state(warehouse: Warehouse, operation: str) -> dict[str, Any]:
    rows = warehouse.rows(sql.load("queries/backup/operation"), {"id": operation})
    if not rows:
        raise CopyFailed("ClickHouse was started again meanwhile")
    return rows[0]


def _first_line(message: str) -> str:
    """Without the stack trace that the engine adds."""
    return message.partition(", Stack trace")[0].partition("\n")[0]
