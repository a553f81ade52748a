"""The commands of ``python -m warehouse``. Each imports what it needs when it runs: most of it is heavy."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from . import settings as settings_module

app = typer.Typer(
    help="The warehouse and the store: embedded engines, migrations, exports.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)

Port = Annotated[int, typer.Option(help="Port on 127.0.0.1; 0 takes a free one.")]
DataDir = Annotated[Path | None, typer.Option(help="Default: REGALIA_DATA_DIR, else .regalia.")]
ExitWithParent = Annotated[bool, typer.Option("--exit-with-parent", help="End when the parent process ends.")]
ExitWhenUnused = Annotated[bool, typer.Option("--exit-when-unused", help="End when no command uses the engines.")]


def _data_dir(given: Path | None) -> Path:
    return given if given is not None else settings_module.load().data_dir


def _stop(error: Exception) -> None:
    print(f"error: {error}", file=sys.stderr)
    raise typer.Exit(1)


@app.command()
def clickhouse(
    port: Port = 0,
    data_dir: DataDir = None,
    exit_with_parent: ExitWithParent = False,
    exit_when_unused: ExitWhenUnused = False,
) -> None:
    """Run the embedded ClickHouse server in the foreground."""
    from .embedded.clickhouse.engine import DataDirectoryInUse
    from .embedded.clickhouse.server import serve

    try:
        serve(_data_dir(data_dir), port, exit_with_parent=exit_with_parent, exit_when_unused=exit_when_unused)
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
    from .embedded.postgres import PostgresFailed, serve
    from .embedded.privileges import NoUsableIdentity

    try:
        serve(
            _data_dir(data_dir),
            port,
            durable=durable,
            exit_with_parent=exit_with_parent,
            exit_when_unused=exit_when_unused,
        )
    except (PostgresFailed, NoUsableIdentity, OSError) as error:
        _stop(error)


def main() -> None:
    """Run the command line."""
    app()
