"""Commands that run and inspect the service."""

from typing import Annotated

import typer

from api.cli.options import AsJson

app = typer.Typer()


@app.command(rich_help_panel="Service")
def up(
    dagster: Annotated[
        bool, typer.Option("--dagster/--without-dagster", help="Run Dagster: web UI, daemon and code server.")
    ] = True,
    followers: Annotated[
        bool, typer.Option("--followers/--without-followers", help="Follow the head of every enabled chain.")
    ] = True,
) -> None:
    """Run the whole service until Ctrl-C.

    Store, warehouse, migrations, API, worker, one head follower per chain with a node, and Dagster: started in order,
    restarted when they die, stopped in reverse. Engines whose URL is set are not started.

    Examples:

      REGALIA_CHAINS=chains.toml regalia up

      REGALIA_DATA_DIR=/var/lib/regalia REGALIA_PORT=8080 regalia up --without-dagster
    """
    import logging

    from api.ops.supervisor.parts import Wanted
    from api.ops.supervisor.run import run
    from api.ops.supervisor.settings import load

    logging.basicConfig(format="%(asctime)s %(levelname)-7s %(message)s", datefmt="%H:%M:%S", level=logging.INFO)
    run(load(), Wanted(dagster=dagster, followers=followers))


@app.command(rich_help_panel="Service")
def demo(
    once: Annotated[
        bool, typer.Option("--once", help="Try everything that is suggested, claim included, and stop.")
    ] = False,
    scale: Annotated[str, typer.Option(help="demo, or small for a quick look.")] = "demo",
    dagster: Annotated[bool, typer.Option("--dagster/--without-dagster", help="Run Dagster as well.")] = True,
) -> None:
    """Run the whole service on a local chain with tokens, markets and trade, and print what to try.

    The chain poses as Base: real contracts, some fifty tokens, exchanges, a day of trade that goes on. All of it is
    made anew each time, in the data directory .regalia/demo unless REGALIA_DATA_DIR names another. Ctrl-C stops it.

    Example:

      REGALIA_PORT=8080 regalia demo --once
    """
    import logging

    from api.ops.demo.run import run

    logging.basicConfig(format="%(asctime)s %(levelname)-7s %(message)s", datefmt="%H:%M:%S", level=logging.WARNING)
    raise typer.Exit(run(once=once, scale=scale, dagster=dagster))


@app.command(rich_help_panel="Service")
def status(
    watch: Annotated[bool, typer.Option("--watch", help="Show it anew every two seconds until Ctrl-C.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show how the service is doing.

    Per part of a running service its state; per chain its head, what is indexed, lag and finality; per asset its last
    run and rows; per queue its depth.

    Examples:

      regalia status --watch

      regalia status --json | jq '.chains[] | {key, lag_blocks}'
    """
    from api.ops.commands.status import show

    show(watch=watch, as_json=as_json)


@app.command(rich_help_panel="Service")
def doctor(as_json: AsJson = False) -> None:
    """Check settings, chains, nodes, engines, clock and disk; say what to do about each problem.

    Ends with status 1 when something is broken; warnings alone do not count.
    """
    from api.ops.commands.doctor import run

    raise typer.Exit(run(as_json=as_json))


@app.command(rich_help_panel="Service")
def openapi() -> None:
    """Print the OpenAPI document. Needs nothing running.

    Example:

      regalia openapi > openapi.json
    """
    import json

    from api.app import create_app

    print(json.dumps(create_app().openapi(), indent=2))
