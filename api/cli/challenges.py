"""Commands for challenges of registrations, and for copy verdicts by hand."""

from typing import Annotated

import typer

app = typer.Typer(help="Challenges of registrations, and copy verdicts by hand.", no_args_is_help=True)
Reason = Annotated[str, typer.Option(help="Why. The text is public.")]


@app.command("list")
def list_challenges(
    state: Annotated[str | None, typer.Option(help="Only challenges in this state, such as undecided.")] = None,
) -> None:
    """Print the newest challenges, one line of JSON each."""
    from api.ops.commands import challenges

    challenges.list_challenges(state)


@app.command("uphold")
def uphold_challenge(id: Annotated[str, typer.Argument(help="The challenge.")], reason: Reason) -> None:
    """Uphold a challenge that rules cannot decide, or have an end that was stopped announced anew.

    The worker announces the end of the registration. The reason appears in the public history at once.

    Example:

      regalia challenges uphold 01980000-0000-7000-8000-0000000000c1 --reason "The mint precedes our index; ..."
    """
    from api.ops.commands import challenges

    challenges.decide(id, True, reason)


@app.command("reject")
def reject_challenge(id: Annotated[str, typer.Argument(help="The challenge.")], reason: Reason) -> None:
    """Reject a challenge. Where it was upheld, the worker takes the announced end back.

    The reason appears in the public history at once.
    """
    from api.ops.commands import challenges

    challenges.decide(id, False, reason)


@app.command("rule")
def rule_on_token(
    token: Annotated[str, typer.Argument(metavar="CHAIN:ADDRESS", help="The token, such as base:0x12…")],
    reason: Annotated[str | None, typer.Option(help="Why. The text is public.")] = None,
    copy_of: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="The original. Without it the token is no copy.")
    ] = None,
    withdraw: Annotated[bool, typer.Option("--withdraw", help="Take the verdict back; rules decide again.")] = False,
) -> None:
    """Give a copy verdict by hand, which overrides the rules: for tokens that rules cannot judge.

    Example:

      regalia challenges rule base:0x6982508145454Ce325dDbE47a25d4ec3d2311933 --reason "Older than our index; ..."
    """
    from api.ops.commands import challenges

    challenges.rule(token, copy_of, reason, withdraw)
