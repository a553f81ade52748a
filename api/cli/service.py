"""Commands that run and inspect the service."""

import json
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
    restarted when they fail, stopped in reverse. Engines whose URL is set are not started.

    Examples:

      REGALIA_CHAINS=chains.toml regalia up

      REGALIA_DATA_DIR=/var/lib/regalia REGALIA_PORT=8080 regalia up --without-dagster
    """
    from api.ops.logs import log_to_terminal
    from api.ops.supervisor.parts import Wanted
    from api.ops.supervisor.run import run
    from api.ops.supervisor.settings import load

    log_to_terminal(quiet=False)
    run(load(), Wanted(dagster=dagster, followers=followers))


@app.command(rich_help_panel="Service")
def api() -> None:
    """Run one API process alone until Ctrl-C or SIGTERM, on engines that run and are migrated.

    Several of them share the engines, the keys and the chains file.

    Example:

      REGALIA_HOST=0.0.0.0 REGALIA_PORT=8000 regalia api
    """
    from api.ops.commands.alone import run_api

    run_api()


@app.command(rich_help_panel="Service")
def worker() -> None:
    """Run one worker alone until Ctrl-C or SIGTERM, on engines that run: queued jobs, schedules, webhooks.

    Several share the queue: a job is run by one of them.

    Example:

      regalia worker
    """
    from api.ops.commands.alone import run_worker

    run_worker()


@app.command(rich_help_panel="Service")
def follow(
    chain: Annotated[str, typer.Option(metavar="KEY", help="Chain key, such as base.")],
) -> None:
    """Follow one chain alone until Ctrl-C or SIGTERM: index its head, and refresh what new rows touch.

    Example:

      regalia follow --chain base
    """
    from api.ops.commands.alone import run_follower

    run_follower(chain)


@app.command(rich_help_panel="Service")
def demo(
    once: Annotated[
        bool, typer.Option("--once", help="Run everything that the guide suggests, including the claim, and stop.")
    ] = False,
    scale: Annotated[str, typer.Option(help="demo, or small for a quick start.")] = "demo",
    chain: Annotated[str, typer.Option(help="all, or base to start without Solana.")] = "all",
    dagster: Annotated[bool, typer.Option("--dagster/--without-dagster", help="Run Dagster as well.")] = True,
) -> None:
    """Run the whole service on local chains with tokens, markets and trade, and print what to try.

    One chain has the id of Base, real contracts, some fifty tokens, exchanges, and trade that continues; the other is a
    Solana node, where there is one for this machine (Linux on x86-64). Everything is created again each time, in the
    data directory .regalia/demo or the one of REGALIA_DATA_DIR. Ctrl-C stops it.

    Example:

      REGALIA_PORT=8080 regalia demo --once
    """
    from api.ops.demo.run import run
    from api.ops.logs import log_to_terminal

    log_to_terminal(quiet=True)
    if chain not in ("all", "base"):
        raise typer.BadParameter(f"{chain!r} is neither all nor base", param_hint="--chain")
    raise typer.Exit(run(once=once, scale=scale, dagster=dagster, solana=chain == "all"))


@app.command(rich_help_panel="Service")
def status(
    watch: Annotated[bool, typer.Option("--watch", help="Repeat every two seconds until Ctrl-C.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show the state of the service.

    Lists parts with their state, chains with head, indexed block, lag and finality, steps with their last run and
    rows, and queues with their depth.

    Examples:

      regalia status --watch

      regalia status --json | jq '.chains[] | {key, lag_blocks}'
    """
    from api.ops.commands.status import show

    show(watch=watch, as_json=as_json)


@app.command(rich_help_panel="Service")
def doctor(as_json: AsJson = False) -> None:
    """Check settings, chains, nodes, engines, clock and disk, with advice on each problem.

    Exits with status 1 if something is broken; warnings do not count.
    """
    from api.ops.commands.doctor import run

    raise typer.Exit(run(as_json=as_json))


@app.command(rich_help_panel="Service")
def openapi() -> None:
    """Print the OpenAPI document. Needs nothing running.

    Example:

      regalia openapi > openapi.json
    """
    from api.app import create_app

    print(json.dumps(create_app().openapi(), indent=2))
