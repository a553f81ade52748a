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
    follow: Annotated[bool, typer.Option("--follow", help="Follow the head until Ctrl-C.")] = False,
    rewind: Annotated[
        int | None, typer.Option(metavar="BLOCK", help="Revert everything after this block, final or not, and stop.")
    ] = None,
) -> None:
    """Index the chains up to their heads and stop, or follow them.

    Safe while the service runs and after a crash: no block is counted twice.

    Examples:

      regalia index --chain base --to 1000000

      regalia index --follow
    """
    from api.ops.commands.forward import options, run

    run("indexer", "index", *options(chain=chain, to=to, follow=follow, rewind=rewind))


@app.command(rich_help_panel="Data")
def reindex(
    chain: Annotated[str, typer.Option(metavar="KEY", help="Chain key, such as base.")],
    from_: Annotated[int, typer.Option("--from", metavar="BLOCK", help="First block.")],
    to: Annotated[int, typer.Option(metavar="BLOCK", help="Last block.")],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only compare; status 1 if anything differs.")] = False,
) -> None:
    """Fetch published blocks again, compare them with what is stored, and repair what differs.

    Safe while the service runs and after a crash: run it again. Whole units of blocks are compared.

    Examples:

      regalia reindex --chain base --from 50 --to 51 --dry-run

      regalia reindex --chain base --from 50 --to 51
    """
    from api.ops.commands.forward import options, run

    run("indexer", "reindex", *options(chain=chain, from_=from_, to=to, dry_run=dry_run))


@app.command(rich_help_panel="Data")
def refresh() -> None:
    """Update all derived tables once, in order, and stop.

    Holders, trades, prices, heartbeats, search documents: what the pipelines do on schedule.
    """
    from api.ops.commands.forward import become

    become("pipelines", "refresh")


@app.command(rich_help_panel="Data")
def retention(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be dropped.")] = False,
) -> None:
    """Drop the months of transfers that chains do not keep (kept_months in the chains file).

    Runs once a day by itself. Safe while the service runs and after a crash: run it again.

    Examples:

      regalia retention --dry-run
    """
    from api.ops.commands.forward import become, options

    become("pipelines", "retention", *options(dry_run=dry_run))


@app.command(rich_help_panel="Data")
def sql(
    statement: Annotated[str, typer.Argument(help="A statement that reads; - reads it from standard input.")],
    form: Annotated[str, typer.Option("--format", help="table, csv, json or parquet.")] = "table",
    output: Annotated[Path | None, typer.Option(metavar="FILE", help="Write to a file.")] = None,
) -> None:
    """Run a statement over the marts as the user analyst, who only reads, and print its result.

    Examples:

      regalia sql "SELECT symbol, holders FROM tokens ORDER BY holders DESC LIMIT 10"

      regalia sql "SELECT * FROM trades WHERE chain = 'base'" --format parquet --output trades.parquet
    """
    from api.ops.commands.forward import become, options

    become("warehouse", "sql", *options(format=form, output=None if output is None else str(output)), "--", statement)


@app.command(rich_help_panel="Data")
def export(
    out: Annotated[
        str,
        typer.Option(
            metavar="TARGET",
            help="A folder, or s3://bucket/prefix with AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_ENDPOINT_URL.",
        ),
    ],
    mart: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Only this mart; can be given several times.")
    ] = None,
    since: Annotated[
        int | None,
        typer.Option(metavar="VERSION", help="Write only what changed since the target's export of this version."),
    ] = None,
) -> None:
    """Write the marts as Parquet files by chain and month, and a DuckDB file with views over them.

    Prints the version, for --since, and the command that opens the export with DuckDB from anywhere.

    Examples:

      regalia export --out marts

      regalia export --out s3://bucket/marts --mart trades --mart prices_hourly --since 1234
    """
    from api.ops.commands.forward import become, options

    chosen = [part for name in mart or () for part in ("--mart", name)]
    become("warehouse", "export", *options(out=out, since=since), *chosen)


@app.command(rich_help_panel="Data")
def migrate(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print what would run, change nothing.")] = False,
    status: Annotated[
        bool, typer.Option("--status", help="Print applied and pending migrations, change nothing.")
    ] = False,
) -> None:
    """Migrate the schemas of both stores. `regalia up` does this too."""
    from api.ops.commands.forward import become, options

    become("warehouse", "migrate", *options(dry_run=dry_run, status=status))
