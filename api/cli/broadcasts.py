"""Commands for broadcasts that wait for the operator."""

from typing import Annotated

import typer

app = typer.Typer(help="Broadcasts that wait for review.", no_args_is_help=True)
Id = Annotated[str, typer.Argument(help="The broadcast.")]


@app.command("list")
def list_broadcasts() -> None:
    """Print the broadcasts that wait, oldest first, one line of JSON each."""
    from api.ops.commands import broadcasts

    broadcasts.list_waiting()


@app.command("approve")
def approve_broadcast(id: Id) -> None:
    """Let a broadcast be sent, and its page send large ones from now on."""
    from api.ops.commands import broadcasts

    broadcasts.review(id, None)


@app.command("refuse")
def refuse_broadcast(
    id: Id, reason: Annotated[str, typer.Option(help="Why. The page's owner and managers see it.")]
) -> None:
    """Refuse a broadcast. It no longer counts against the page's limits."""
    from api.ops.commands import broadcasts

    broadcasts.review(id, reason)
