"""Commands that fill the warehouse."""

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer()
ChainKey = Annotated[str | None, typer.Option(metavar="KEY", help="Chain key, such as base. Default: all enabled.")]


@app.command(rich_help_panel="Data")
def index(
    chain: ChainKey = None,
    to: Annotated[int | None, typer.Option(metavar="BLOCK", help="Stop after this block. Default: the head.")] = None,
    follow: Annotated[bool, typer.Option("--follow", help="Keep up with the head until Ctrl-C.")] = False,
    rewind: Annotated[
        int | None, typer.Option(metavar="BLOCK", help="Take back everything after this block, final or not, and stop.")
    ] = None,
) -> None:
    """Bring the warehouse to the head of the chains and stop, or follow it.

    Safe beside a running service and after a crash: a block is never counted twice.

    Examples:

      regalia index --chain base --to 1000000

      regalia index --follow
    """
    from api.ops.commands.forward import become, options

    become("indexer", "index", *options(chain=chain, to=to, follow=follow, rewind=rewind))


@app.command(rich_help_panel="Data")
def refresh() -> None:
    """Bring all derived tables up to date once, in order, and stop.

    Holders, trades, prices, heartbeats, search documents: what the pipelines do on schedule, now.
    """
    from api.ops.commands.forward import become

    become("pipelines", "refresh")


@app.command(rich_help_panel="Data")
def export(
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder to write into; made when it does not exist.")],
) -> None:
    """Write the warehouse's marts as Parquet files, and a DuckDB file with views over them.

    Example:

      regalia export --out marts && duckdb marts/regalia.duckdb 'SHOW TABLES'
    """
    from api.ops.commands.forward import become

    become("warehouse", "export", "--out", str(out))


@app.command(rich_help_panel="Data")
def migrate(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print what would run, change nothing.")] = False,
    status: Annotated[
        bool, typer.Option("--status", help="Print what is applied and what is not, change nothing.")
    ] = False,
) -> None:
    """Bring the schemas of both stores up to date. `regalia up` does it by itself."""
    from api.ops.commands.forward import become, options

    become("warehouse", "migrate", *options(dry_run=dry_run, status=status))
