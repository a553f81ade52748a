"""The commands of ``python -m warehouse``. Each imports what it needs when it runs: most of it is heavy."""

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from . import settings as settings_module
from .backup import commands as backup_commands
from .logs import configure_logging

if TYPE_CHECKING:
    from .migrate import Status

app = typer.Typer(
    help="The warehouse and the store: embedded engines, migrations, exports.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)

app.add_typer(backup_commands.app, name="backup")
app.command()(backup_commands.restore)

# The same for every command of the system.
WRONG_USE, UNREACHABLE = 2, 3


class Engine(StrEnum):
    """The two stores."""

    STORE = "store"
    WAREHOUSE = "warehouse"


Port = Annotated[int, typer.Option(help="Port on 127.0.0.1; 0 takes a free one.")]
DataDir = Annotated[Path | None, typer.Option(help="Default: REGALIA_DATA_DIR, else .regalia.")]
ExitWithParent = Annotated[bool, typer.Option("--exit-with-parent", help="End when the parent process ends.")]
ExitWhenUnused = Annotated[bool, typer.Option("--exit-when-unused", help="End when no command uses the engines.")]


def _data_dir(given: Path | None) -> Path:
    return given if given is not None else settings_module.load().data_dir


def _stop(error: Exception, exit_status: int = 1) -> None:
    print(f"error: {error}", file=sys.stderr)
    raise typer.Exit(exit_status)


@app.command()
def clickhouse(
    port: Port = 0,
    data_dir: DataDir = None,
    exit_with_parent: ExitWithParent = False,
    exit_when_unused: ExitWhenUnused = False,
) -> None:
    """Run the embedded ClickHouse server in the foreground."""
    from .embedded.clickhouse.ownership import DataDirectoryInUse
    from .embedded.clickhouse_server import serve

    configure_logging()
    try:
        serve(
            _data_dir(data_dir),
            port,
            analyst_internals=settings_module.load().analyst_internals,
            exit_with_parent=exit_with_parent,
            exit_when_unused=exit_when_unused,
        )
    except (DataDirectoryInUse, OSError) as error:
        _stop(error)


@app.command()
def postgres(
    port: Port = 0,
    data_dir: DataDir = None,
    exit_with_parent: ExitWithParent = False,
    exit_when_unused: ExitWhenUnused = False,
    durable: Annotated[bool, typer.Option(help="Without it a crash of the machine may lose data: for tests.")] = True,
) -> None:
    """Run the embedded PostgreSQL server in the foreground."""
    from .embedded.clickhouse.ownership import DataDirectoryInUse
    from .embedded.postgres import PostgresFailed, serve
    from .embedded.privileges import NoUsableIdentity

    configure_logging()
    try:
        serve(
            _data_dir(data_dir),
            port,
            durable=durable,
            exit_with_parent=exit_with_parent,
            exit_when_unused=exit_when_unused,
        )
    except (DataDirectoryInUse, PostgresFailed, NoUsableIdentity, OSError) as error:
        _stop(error)


@app.command()
def migrate(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print what would run, change nothing.")] = False,
    show: Annotated[
        bool, typer.Option("--status", help="Print what is applied and what is not, change nothing.")
    ] = False,
) -> None:
    """Bring both stores' schemas up to date."""
    from . import engines
    from . import migrate as migrations
    from .embedded.layout import Layout

    with _reported():
        loaded = settings_module.load()
        read_only = dry_run or show
        if read_only and not Layout.of(loaded.data_dir).postgres.exists():
            engines.locate(loaded)  # reading the status creates no data directory
        with engines.ensure(loaded, migrated=not read_only) as urls:
            if dry_run:
                print("\n".join(migrations.plan(urls.clickhouse_url, urls.database_url)) or "nothing to do")
                return
            print_status(migrations.status(urls.clickhouse_url, urls.database_url))


@app.command()
def status() -> None:
    """Where the engines are, and what is applied to them."""
    from . import engines
    from . import migrate as migrations

    with _reported():
        urls = engines.locate(settings_module.load())
        for name, url in (("warehouse", urls.clickhouse_url), ("store", urls.database_url)):
            print(f"{name}: {redact_url(url)}")
        print_status(migrations.status(urls.clickhouse_url, urls.database_url))


@app.command()
def schema(engine: Annotated[Engine, typer.Argument(help="Whose schema.")] = Engine.STORE) -> None:
    """Print the schema of a store, from its catalogues: sql/<engine>/schema.txt."""
    from . import columns, engines
    from . import schema as store_schema
    from .clickhouse import Warehouse
    from .postgres import connect

    with _reported(), engines.ensure(settings_module.load()) as urls:
        if engine is Engine.WAREHOUSE:
            with Warehouse.connect(urls.clickhouse_url) as warehouse:
                print(columns.describe(warehouse), end="")
            return
        with connect(urls.database_url) as connection:
            print(store_schema.describe(connection), end="")


@app.command()
def dictionary() -> None:
    """Print the data dictionary, docs/data-dictionary.md."""
    from . import engines
    from .clickhouse import Warehouse
    from .dictionary import document

    with (
        _reported(),
        engines.ensure(settings_module.load()) as urls,
        Warehouse.connect(urls.clickhouse_url) as warehouse,
    ):
        print(document(warehouse), end="")


@app.command("sql")
def run_statement(
    statement: Annotated[str, typer.Argument(help="A statement that reads; - reads it from standard input.")],
    form: Annotated[str, typer.Option("--format", help="table, csv, json or parquet.")] = "table",
    output: Annotated[Path | None, typer.Option(metavar="FILE", help="Write to a file.")] = None,
) -> None:
    """Run a statement as the analyst and print its result."""
    from . import engines
    from .errors import WarehouseError, WarehouseUnavailable
    from .query import BinaryOnTerminal, Format, NoAnalyst, run

    if form not in {one.value for one in Format}:
        _stop(ValueError(f"--format {form}: choose {', '.join(one.value for one in Format)}"), WRONG_USE)
    loaded = settings_module.load()
    text = sys.stdin.read() if statement == "-" else statement
    try:
        with _reported(), engines.ensure(loaded):
            try:
                run(loaded, text, Format(form), output)
            except WarehouseUnavailable:
                raise
            except WarehouseError as error:  # in the statement: not the engine's fault
                _stop(error)
    except (NoAnalyst, BinaryOnTerminal) as error:
        _stop(error, WRONG_USE)


@app.command()
def export(
    out: Annotated[str, typer.Option(metavar="TARGET", help="A folder or s3://bucket/prefix.")],
    mart: Annotated[list[str] | None, typer.Option(help="Only this mart; can be given several times.")] = None,
    since: Annotated[
        int | None, typer.Option(metavar="VERSION", help="Keep what is as in the target's export of this version.")
    ] = None,
) -> None:
    """Write the marts as Parquet, with a DuckDB file of views over them."""
    from . import engines
    from .export import ExportRefused, Wanted, attach_command
    from .export import export as write
    from .storage import BadTarget, StorageError, open_storage

    configure_logging(layout="%(message)s")
    try:
        storage = open_storage(out)
        with _reported(), engines.ensure(settings_module.load()) as urls:
            manifest = write(urls, storage, Wanted(mart or (), since))
    except BadTarget as error:
        _stop(error, WRONG_USE)
    except StorageError as error:
        _stop(error, UNREACHABLE)
    except ExportRefused as error:
        _stop(error)
    print(f"{sum(manifest.rows.values())} rows in {storage.shown}, version {manifest.version}: ", end="")
    print(f"{manifest.written} files written")
    print(attach_command(storage))


def print_status(state: "Status") -> None:
    """Print the applied and the pending migrations."""
    for name in state.warehouse_applied:
        print(f"warehouse {name}: applied")
    for name in state.warehouse_pending:
        print(f"warehouse {name}: pending")
    print(f"store: at {state.store_revision or 'no revision'}")
    for name in state.store_pending:
        print(f"store {name}: pending")


def redact_url(url: str) -> str:
    """The URL without its password."""
    return re.sub(r"://([^:/@]*):[^@]*@", r"://\1:***@", url)


@contextmanager
def _reported() -> Iterator[None]:
    """Report errors that a person can act on in one line, with an exit status."""
    from .errors import EnginesNotRunning, MigrationError, StoreUnavailable, WarehouseError

    try:
        yield
    except MigrationError as error:
        _stop(error)
    except (EnginesNotRunning, StoreUnavailable, WarehouseError) as error:
        _stop(error, UNREACHABLE)


def main() -> None:
    """Run the command line."""
    app()
