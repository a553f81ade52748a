"""Commands for deals on registrations."""

from typing import Annotated

import typer

app = typer.Typer(help="Deals on registrations.", no_args_is_help=True)
Id = Annotated[str, typer.Argument(help="The deal.")]


@app.command("pause")
def pause_deal(id: Id) -> None:
    """Stop the clock of an accepted deal. Its parties can still cancel it."""
    from api.ops.commands import deals

    deals.pause(id, resume=False)


@app.command("resume")
def resume_deal(id: Id) -> None:
    """Let the clock of a paused deal run on: its deadline moves by as long as it was paused."""
    from api.ops.commands import deals

    deals.pause(id, resume=True)
