"""The console command ``regalia``.

Declarations only: what a command does is in ``api/ops`` or another package, and is imported or
started when it runs, so that ``--help`` is quick and needs nothing.
"""

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

_EPILOG = """Settings are environment variables with the prefix REGALIA_; docs/settings.md lists them. \
REGALIA_DATA_DIR (default .regalia) says which service a command means: it uses that directory's running engines, or \
starts them for as long as it runs. Exit status: 0 done, 1 failed, 2 wrong use, 3 not reachable, 4 in use."""

app = typer.Typer(
    name="regalia",
    help="An open registry of token symbols: index chains, rank tokens, serve claims.",
    epilog=_EPILOG,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)
keys = typer.Typer(help="API keys.", no_args_is_help=True)
plans = typer.Typer(help="Plans of accounts.", no_args_is_help=True)
signing_keys = typer.Typer(help="Keys that sign sessions.", no_args_is_help=True)
contracts = typer.Typer(help="Our contracts.", no_args_is_help=True)
attestations = typer.Typer(help="Statements of the operator about registrations.", no_args_is_help=True)
notices = typer.Typer(help="Notices to operators.", no_args_is_help=True)
app.add_typer(keys, name="keys")
app.add_typer(plans, name="plans")
app.add_typer(signing_keys, name="signing-keys")
app.add_typer(contracts, name="contracts")
app.add_typer(attestations, name="attest")
app.add_typer(notices, name="notices")
app.add_typer(notices, name="alerts", hidden=True)  # the former name

ChainKey = Annotated[str | None, typer.Option(metavar="KEY", help="Chain key, such as base. Default: all enabled.")]
Wallet = Annotated[str, typer.Option(metavar="ADDRESS", help="The account's wallet.")]
Plan = Annotated[str, typer.Option(help="free, pro, pro_plus, developer, partner or enterprise.")]
AsJson = Annotated[bool, typer.Option("--json", help="Machine-readable output.")]


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        print(version("regalia"))
        raise typer.Exit


@app.callback()
def regalia(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """An open registry of token symbols: index chains, rank tokens, serve claims."""


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


@app.command(rich_help_panel="Service")
def openapi() -> None:
    """Print the OpenAPI document. Needs nothing running.

    Example:

      regalia openapi > openapi.json
    """
    import json

    from api.app import create_app

    print(json.dumps(create_app().openapi(), indent=2))


@keys.command("create")
def create_key(
    wallet: Wallet,
    plan: Annotated[
        str | None, typer.Option(help="The account's plan. Default: as it is; free for a new account.")
    ] = None,
    name: Annotated[str, typer.Option(help="To tell keys of one account apart.")] = "default",
) -> None:
    """Make an API key, and the wallet's account if it has none. An account that has another plan takes the one given.

    Prints one line of JSON with the key in `key`: it is shown this once, and kept as a hash.

    Example:

      regalia keys create --wallet 0x70997970C51812dc3A010C7d01b50e0d17dc79C8 --plan developer | jq -r .key
    """
    from api.ops.commands import accounts

    accounts.create_key(wallet, plan, name)


@keys.command("list")
def list_keys(
    wallet: Annotated[str | None, typer.Option(metavar="ADDRESS", help="Only keys of this wallet's account.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One line of JSON per key.")] = False,
) -> None:
    """List API keys, without their secrets."""
    from api.ops.commands import accounts

    accounts.list_keys(wallet, as_json)


@keys.command("rename")
def rename_key(
    key: Annotated[str, typer.Argument(help="The key itself, its id, or the prefix that the list shows.")],
    name: Annotated[str, typer.Argument(help="The new name.")],
) -> None:
    """Give an API key another name."""
    from api.ops.commands import accounts

    accounts.rename_key(key, name)


@keys.command("revoke")
def revoke_key(
    key: Annotated[str, typer.Argument(help="The key itself, its id, or the prefix that the list shows.")],
) -> None:
    """Revoke an API key. A running API refuses it at once."""
    from api.ops.commands import accounts

    accounts.revoke_key(key)


@plans.command("set")
def set_plan(wallet: Wallet, plan: Plan) -> None:
    """Give a wallet's account a plan. A running API goes by it at once, and the account's webhooks are told.

    Example:

      regalia plans set --wallet 0x70997970C51812dc3A010C7d01b50e0d17dc79C8 --plan enterprise
    """
    from api.ops.commands import accounts

    accounts.set_plan(wallet, plan)


@signing_keys.command("rotate")
def rotate_signing_keys() -> None:
    """Make a new key that signs sessions from now on, and keep the one before.

    Running API processes use it at once. Sessions that are signed already stay valid until they end. Prints the new
    key's public half as one line of JSON.

    Example:

      regalia signing-keys rotate | jq -r .kid
    """
    from api.ops.commands import signing_keys

    signing_keys.rotate()


@signing_keys.command("list")
def list_signing_keys(
    as_json: Annotated[bool, typer.Option("--json", help="One line of JSON per key.")] = False,
) -> None:
    """List the keys that sign sessions, the current one first, without their secret halves."""
    from api.ops.commands import signing_keys

    signing_keys.list_keys(as_json)


@plans.command("list")
def list_plans(as_json: AsJson = False) -> None:
    """List the plans with their limits, as REGALIA_LIMITS changes them. Needs nothing running."""
    from api.ops.commands import accounts

    accounts.list_plans(as_json)


@plans.command("show")
def show_plans(
    wallet: Annotated[str | None, typer.Option(metavar="ADDRESS", help="Only this wallet's account.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One line of JSON per account.")] = False,
) -> None:
    """Show which account has which plan, and what each used of its quotas today."""
    from api.ops.commands import accounts

    accounts.show_plans(wallet, as_json)


@notices.command("test")
def send_test_notice() -> None:
    """Send a test notice to the operator's webhook and say whether it was accepted.

    Example:

      REGALIA_ALERT_WEBHOOK_URL=https://hooks.example.net/regalia regalia notices test
    """
    from api.ops.commands.notices import send_test

    send_test()


@attestations.command("make")
def make_attestation(
    registration: Annotated[str, typer.Option(metavar="CHAIN:ID", help="The registration, such as base:7.")],
    statement: Annotated[str, typer.Option(help="What is attested, in words.")],
    kind: Annotated[str, typer.Option(help="What it is about, such as identity or partner.")] = "identity",
) -> None:
    """Attest something of a registration. The API signs the statement whenever it tells it.

    Example:

      regalia attest make --registration base:7 --statement "The owner has shown who they are."
    """
    from api.ops.commands import attest

    attest.attest(registration, kind, statement)


@attestations.command("withdraw")
def withdraw_attestation(id: Annotated[str, typer.Argument(help="The id that making it printed.")]) -> None:
    """Withdraw an attestation; the API tells it no more."""
    from api.ops.commands import attest

    attest.withdraw(id)


@app.command()
def expire(
    chain: Annotated[str, typer.Option(metavar="KEY", help="Chain key, such as base.")],
    days: Annotated[
        int | None, typer.Option(min=1, help="Inactive for so many days on end. Default: REGALIA_EXPIRY_DAYS.")
    ] = None,
    submit: Annotated[bool, typer.Option("--submit", help="End them; REGALIA_PRIVATE_KEY pays.")] = False,
) -> None:
    """List the registrations that have been inactive for long, or end them.

    A registration is listed when its heartbeat stayed below 60 in every hour of that time, beyond its grace period,
    and at least nine tenths of the hours were scored. Ending one hands the service's signed statement to the chain's
    registry; the symbol can be claimed again at once. Safe to repeat.

    Example:

      regalia expire --chain base --days 90
    """
    from api.ops.commands.expire import expire_inactive

    expire_inactive(chain, days, submit)


@contracts.command("deploy")
def deploy_contracts(
    chain: Annotated[str, typer.Option(metavar="KEY", help="Chain key from the chains file, such as base.")],
    private_key: Annotated[
        str | None,
        typer.Option(metavar="HEX", help="Key that pays. Better: REGALIA_PRIVATE_KEY, which `ps` does not show."),
    ] = None,
    treasury: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Where fees go. Default: the deployer.")
    ] = None,
) -> None:
    """Deploy our contracts for this service's own signer.

    The signer is made in the data directory on first use. Needs nothing running. Prints the addresses as one line of
    JSON, with the keys of the chains file.

    Example:

      REGALIA_PRIVATE_KEY=0x… regalia contracts deploy --chain base
    """
    from api.ops.commands.forward import become, options

    if private_key:
        # Not handed on as an argument, which every user of the machine can read.
        os.environ["REGALIA_PRIVATE_KEY"] = private_key
    become("indexer", "contracts", "deploy", *options(chain=chain, treasury=treasury))


def main() -> None:
    """Run the command line; a foreseen error is one line and an exit status."""
    # Processes started from here are not to import what lies in the caller's folder.
    os.environ.setdefault("PYTHONSAFEPATH", "1")
    try:
        app(prog_name="regalia")
    except Exception as error:
        from api.ops.commands.failures import explain

        explained = explain(error)
        if explained is None:
            raise
        line, exit_status = explained
        print(f"regalia: {' '.join(line.split())}", file=sys.stderr)
        sys.exit(exit_status)


if __name__ == "__main__":
    main()
