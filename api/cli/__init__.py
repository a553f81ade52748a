"""The console command ``regalia``.

The modules here only declare commands and their options. What a command does is in ``api/ops`` or another package, and
is imported or started when the command runs, so ``--help`` is quick and needs nothing.
"""

import os
import sys
from typing import Annotated

import typer

from api.cli import (
    accounts,
    backups,
    broadcasts,
    challenges,
    checks,
    data,
    deals,
    guardian,
    operating,
    registrations,
    sealing,
    service,
)

_EPILOG = """Settings are environment variables with the prefix REGALIA_; docs/settings.md lists them. \
REGALIA_DATA_DIR (default .regalia) selects the service: a command uses the engines that run for that directory, or \
starts them while it runs. Exit status: 0 done, 1 failed, 2 wrong use, 3 not reachable, 4 in use."""

app = typer.Typer(
    name="regalia",
    help="An open registry of token symbols: index chains, rank tokens, serve claims.",
    epilog=_EPILOG,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)
app.add_typer(service.app)
app.add_typer(sealing.app)
app.add_typer(data.app)
app.add_typer(registrations.app)
app.add_typer(backups.app)
app.add_typer(backups.backup, name="backup", rich_help_panel="Service")
app.add_typer(accounts.keys, name="keys")
app.add_typer(accounts.plans, name="plans")
app.add_typer(operating.signing_keys, name="signing-keys")
app.add_typer(registrations.contracts, name="contracts")
app.add_typer(guardian.app, name="guardian")
app.add_typer(registrations.attestations, name="attest")
app.add_typer(challenges.app, name="challenges")
app.add_typer(deals.app, name="deals")
app.add_typer(broadcasts.app, name="broadcasts")
app.add_typer(checks.app, name="checks")
app.add_typer(operating.notices, name="notices")
app.add_typer(operating.events, name="events")
app.add_typer(operating.notices, name="alerts", hidden=True)  # the former name


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


def main() -> None:
    """Run the command line. An expected error becomes one line and an exit status."""
    # Processes started from here must not import modules from the caller's folder.
    os.environ.setdefault("PYTHONSAFEPATH", "1")
    try:
        app(prog_name="regalia")
    except Exception as error:  # those that cannot be explained in a line are raised again
        from api.ops.commands.failures import explain

        explained = explain(error)
        if explained is None:
            raise
        line, exit_status = explained
        print(f"regalia: {' '.join(line.split())}", file=sys.stderr)
        sys.exit(exit_status)
