"""Migrations of both stores: forward only, each recorded when done, safe to start twice at once.

The warehouse's are numbered SQL files, ``sql/warehouse/NNNN_name.sql``, recorded in ``schema_migration`` with a
checksum: a file that changes after it was applied is an error. The marts' views are made anew after them whenever their
declarations changed. The store's are Alembic revisions. One lock, in PostgreSQL, guards both.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit, urlunsplit

import psycopg

from warehouse import advisory_locks, catalogue, postgres, sql
from warehouse.clickhouse import Warehouse
from warehouse.errors import MigrationError, WarehouseError
from warehouse.marts import views as marts
from warehouse.marts.database import MAIN_DATABASE
from warehouse.postgres import Connection

_FILE_NAME = re.compile(r"(\d{4})_(\w+)\.sql")
# A statement ends with a semicolon at the end of a line; no comment or literal of the files contains one there.
_STATEMENT_END = re.compile(r";[ \t]*(?:\n|\Z)")
RECORD_TABLE = """
CREATE TABLE IF NOT EXISTS schema_migration
(
    number UInt32,
    name String,
    checksum String,
    applied_at DateTime('UTC') DEFAULT now('UTC')
)
ENGINE = MergeTree ORDER BY number
"""

# What a killed CREATE OR REPLACE TABLE leaves.
_UNFINISHED_COPIES = """
SELECT name FROM system.tables WHERE database = currentDatabase() AND startsWith(name, '_tmp_replace_')
"""
_WRITER_WAIT_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class WarehouseMigration:
    """One numbered file."""

    number: int
    name: str
    text: str

    @property
    def checksum(self) -> str:
        """SHA-256 of the text."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    def statements(self) -> list[str]:
        """The file's statements, in order."""
        parts = (part.strip() for part in _STATEMENT_END.split(self.text))
        return [part for part in parts if part and not all(line.startswith("--") for line in part.splitlines())]

    @property
    def copies_rows(self) -> bool:
        """Whether it replaces a table with a copy: rows that are written meanwhile would be lost."""
        return "CREATE OR REPLACE TABLE" in self.text


@dataclass(frozen=True, slots=True)
class Status:
    """The applied and the pending migrations of both stores."""

    warehouse_applied: tuple[str, ...]
    warehouse_pending: tuple[str, ...]
    store_revision: str | None
    store_pending: tuple[str, ...]

    @property
    def current(self) -> bool:
        """Whether nothing is pending."""
        return not self.warehouse_pending and not self.store_pending


def warehouse_migrations(directory: Path | None = None) -> list[WarehouseMigration]:
    """The warehouse's migrations, in order.

    Raises:
        MigrationError: two files have the same number.
    """
    found = []
    for path in sorted((directory or sql.directory() / "warehouse").glob("*.sql")):
        name = _FILE_NAME.fullmatch(path.name)
        if name is None:
            raise MigrationError(f"{path.name}: a migration is called NNNN_name.sql")
        found.append(WarehouseMigration(int(name.group(1)), name.group(2), path.read_text()))
    numbers = [migration.number for migration in found]
    if len(set(numbers)) != len(numbers):
        raise MigrationError("two warehouse migrations have the same number")
    return found


def status(clickhouse_url: str, database_url: str) -> Status:
    """The applied and the pending migrations; changes nothing.

    Raises:
        MigrationError: an applied migration's file was changed or is gone.
    """
    with Warehouse.connect(server_of(clickhouse_url)) as warehouse:
        done, pending = _compare(_applied(warehouse, database_of(clickhouse_url)), warehouse_migrations())
    revision = _store_revision(database_url)
    revisions = store_revisions()
    start = revisions.index(revision) + 1 if revision in revisions else 0
    if revision is not None and revision not in revisions:
        raise MigrationError(f"the store is at revision {revision}, which this version does not know")
    return Status(
        tuple(_label(migration) for migration in done),
        tuple(_label(migration) for migration in pending),
        revision,
        tuple(revisions[start:]),
    )


def plan(clickhouse_url: str, database_url: str) -> list[str]:
    """The statements that ``apply`` would run, as text."""
    state = status(clickhouse_url, database_url)
    lines = []
    for migration in warehouse_migrations():
        if _label(migration) in state.warehouse_pending:
            lines += [f"-- warehouse {_label(migration)}", *(f"{text};" for text in migration.statements())]
    lines += [f"-- store {revision} (Alembic)" for revision in state.store_pending]
    return lines


def apply(clickhouse_url: str, database_url: str) -> Status:
    """Bring both stores up to date. Returns the status before: its pending migrations are applied now.

    Raises:
        MigrationError: an applied migration was changed, one failed, or a chain is being indexed that must rest.
    """
    with _locked(database_url) as connection:
        before = status(clickhouse_url, database_url)
        if before.warehouse_pending:
            with _writers_paused(connection, before):
                apply_warehouse(clickhouse_url)
        with Warehouse.connect(clickhouse_url) as warehouse:
            if before.warehouse_pending or marts.apply(warehouse, database_of(clickhouse_url)):
                catalogue.apply(warehouse)
        if before.store_pending:
            apply_store(database_url)
        return before


def apply_warehouse(clickhouse_url: str, up_to: int | None = None) -> None:
    """Bring only the warehouse up to date, or to the schema of migration ``up_to``. The caller keeps others from doing
    so at the same time."""
    database = database_of(clickhouse_url)
    with Warehouse.connect(server_of(clickhouse_url)) as server:
        server.command(f"CREATE DATABASE IF NOT EXISTS {sql.quoted(database)}")
    with Warehouse.connect(clickhouse_url) as warehouse:
        warehouse.command(RECORD_TABLE)
        _, pending = _compare(_applied(warehouse, database), warehouse_migrations())
        for name in warehouse.rows(_UNFINISHED_COPIES):
            warehouse.command(f"DROP TABLE {sql.quoted(name['name'])} SYNC")
        for migration in pending:
            if up_to is None or migration.number <= up_to:
                _run(warehouse, migration)
        if up_to is None:
            marts.apply(warehouse, database)


def apply_store(database_url: str, up_to: str = "head") -> None:
    """Bring only the store up to date, or to the revision ``up_to``."""
    # Imported when something is pending: every command asks whether there is.
    from alembic import command
    from alembic.config import Config
    from sqlalchemy import create_engine
    from sqlalchemy.pool import NullPool

    config = Config()
    config.set_main_option("script_location", str(sql.directory() / "store").replace("%", "%%"))
    engine = create_engine(postgres.sqlalchemy_url(database_url), poolclass=NullPool)
    try:
        with engine.begin() as connection:
            config.attributes["connection"] = connection
            command.upgrade(config, up_to)
    finally:
        engine.dispose()


def applied_numbers(clickhouse_url: str) -> tuple[int, ...]:
    """The numbers of the warehouse's applied migrations."""
    with Warehouse.connect(server_of(clickhouse_url)) as warehouse:
        return tuple(sorted(_applied(warehouse, database_of(clickhouse_url))))


def unknown_migrations(numbers: Iterable[int], revision: str) -> list[str]:
    """Which of these migrations of a warehouse and a store this version does not have: a later version's."""
    unknown = set(numbers) - {migration.number for migration in warehouse_migrations()}
    return [f"warehouse {number:04d}" for number in sorted(unknown)] + (
        [] if revision in store_revisions() else [f"store {revision}"]
    )


def _run(warehouse: Warehouse, migration: WarehouseMigration) -> None:
    statements = migration.statements()
    for position, statement in enumerate(statements, 1):
        try:
            # ClickHouse has no transactions over statements: after a crash a statement may run again on its own result.
            warehouse.command(repeatable(statement))
        except WarehouseError as error:
            raise MigrationError(
                f"warehouse {_label(migration)}, statement {position} of {len(statements)}: {error.message}"
            ) from error
    warehouse.command(
        "INSERT INTO schema_migration (number, name, checksum) "
        "SELECT {number:UInt32}, {name:String}, {checksum:String}",
        {"number": migration.number, "name": migration.name, "checksum": migration.checksum},
    )


def repeatable(statement: str) -> str:
    """The statement, so that it changes nothing where what it makes is there."""
    return re.sub(
        r"^((?:--[^\n]*\n|\s)*CREATE (?:TABLE|VIEW|MATERIALIZED VIEW)) (?!IF NOT EXISTS)",
        r"\1 IF NOT EXISTS ",
        statement,
        count=1,
    )


def _applied(warehouse: Warehouse, database: str) -> dict[int, tuple[str, str]]:
    exists = warehouse.scalar(
        "SELECT count() FROM system.tables WHERE database = {database:String} AND name = 'schema_migration'",
        {"database": database},
    )
    if not exists:
        return {}
    rows = warehouse.rows(f"SELECT number, name, checksum FROM {sql.quoted(database)}.schema_migration")  # noqa: S608
    return {row["number"]: (row["name"], row["checksum"]) for row in rows}


def _compare(
    applied: dict[int, tuple[str, str]], known: list[WarehouseMigration]
) -> tuple[list[WarehouseMigration], list[WarehouseMigration]]:
    missing = applied.keys() - {migration.number for migration in known}
    if missing:
        raise MigrationError(f"the warehouse has migrations this version does not know: {sorted(missing)}")
    for migration in known:
        record = applied.get(migration.number)
        if record is not None and record[1] != migration.checksum:
            raise MigrationError(f"warehouse {_label(migration)} was changed after it was applied")
    done = [migration for migration in known if migration.number in applied]
    return done, [migration for migration in known if migration.number not in applied]


def _label(migration: WarehouseMigration) -> str:
    return f"{migration.number:04d}_{migration.name}"


def database_of(clickhouse_url: str) -> str:
    """The service's database on the server that the URL names."""
    return unquote(urlsplit(clickhouse_url).path.strip("/")) or MAIN_DATABASE


def server_of(clickhouse_url: str) -> str:
    """The URL of the same server, in a database that always exists."""
    return urlunsplit(urlsplit(clickhouse_url)._replace(path="/system"))


def store_revisions() -> list[str]:
    """The store's revisions in order: each file's number is its revision, and it follows the one before."""
    return sorted(path.name.partition("_")[0] for path in (sql.directory() / "store" / "versions").glob("[0-9]*_*.py"))


def _store_revision(database_url: str) -> str | None:
    with postgres.connect(database_url, autocommit=True) as connection:
        if connection.execute("SELECT to_regclass('alembic_version') AS found").fetchone() == {"found": None}:
            return None
        row = connection.execute("SELECT version_num FROM alembic_version").fetchone()
        return None if row is None else row["version_num"]


@contextmanager
def _locked(database_url: str) -> Iterator[Connection]:
    with postgres.connect(database_url, autocommit=True) as connection:
        advisory_locks.acquire(connection, advisory_locks.MIGRATIONS)
        try:
            yield connection
        finally:
            with suppress(psycopg.OperationalError):  # the server releases the lock of a lost connection
                advisory_locks.release(connection, advisory_locks.MIGRATIONS)


@contextmanager
def _writers_paused(connection: Connection, state: Status) -> Iterator[None]:
    """Keep all indexers from writing while tables are copied. Followers wait between two units."""
    copying = any(
        migration.copies_rows and _label(migration) in state.warehouse_pending for migration in warehouse_migrations()
    )
    with ExitStack() as held:
        for chain_id in _indexed_chains(connection) if copying else ():
            lock = advisory_locks.writer_of(chain_id)
            if not advisory_locks.acquire_within(connection, lock, _WRITER_WAIT_SECONDS):
                raise MigrationError(f"chain {chain_id} is being indexed: stop its indexer, and migrate again")
            held.callback(advisory_locks.release, connection, lock)
        yield


def _indexed_chains(connection: Connection) -> list[int]:
    if connection.execute("SELECT to_regclass('chain_checkpoint') AS found").fetchone() == {"found": None}:
        return []
    rows = connection.execute("SELECT chain_id FROM chain_checkpoint ORDER BY chain_id").fetchall()
    return [row["chain_id"] for row in rows]
