"""Commands for the checks of the data."""

from typing import Annotated

import typer

app = typer.Typer(help="Checks of the data: what they found, and what that stops.", no_args_is_help=True)
Name = Annotated[str, typer.Argument(metavar="CHECK", help="Name of the check, such as repeated_logs.")]


@app.command("list")
def list_checks(as_json: Annotated[bool, typer.Option("--json", help="One line of JSON per check.")] = False) -> None:
    """Print each check with its last run, its last complete pass, its violations and what they stop."""
    from api.ops.commands import data_checks

    data_checks.list_checks(as_json)


@app.command("run")
def run_checks(
    names: Annotated[list[str] | None, typer.Argument(metavar="[CHECK]...", help="Default: all.")] = None,
    whole: Annotated[bool, typer.Option("--whole", help="Look at the whole history, not at a piece.")] = False,
) -> None:
    """Run checks now. Safe while the service runs. Exit status 1 if there are violations.

    Example:

      regalia checks run supply_equals_balances --whole
    """
    from api.ops.commands.forward import become, options

    become("pipelines", "check", *(names or []), *options(whole=whole))


@app.command("override")
def override_check(
    name: Name,
    reason: Annotated[str, typer.Option(help="Why it is safe to go on.")],
    hours: Annotated[float, typer.Option(min=0.1, max=168, help="For how long.")] = 6.0,
) -> None:
    """Let publication and claims go on although a check fails. It goes on running and is reported.

    Example:

      regalia checks override repeated_logs --hours 2 --reason "One doubled log of a token that nobody trades."
    """
    from api.ops.commands import data_checks

    data_checks.override(name, reason, hours)


@app.command("end-override")
def end_override(name: Name) -> None:
    """End an override before its time."""
    from api.ops.commands import data_checks

    data_checks.end_override(name)
