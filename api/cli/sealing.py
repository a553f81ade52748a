"""The command that encrypts the store's secrets with the present sealing key."""

from typing import Annotated

import typer

app = typer.Typer()


@app.command("reencrypt", rich_help_panel="Service")
def reencrypt(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Count only.")] = False,
    batch: Annotated[int, typer.Option(min=1, max=10_000, help="Rows of one transaction.")] = 500,
) -> None:
    """Encrypt contacts, public rooms and webhook secrets with the present sealing key, after a rotation.

    Run it when all processes have the new key and the previous one. It may be killed and started again, while the
    service runs. Prints one line of JSON for each kind. Fails if something cannot be decrypted with either key.

    Example:

      REGALIA_SEALING_KEY=NEW REGALIA_PREVIOUS_SEALING_KEY=OLD regalia reencrypt
    """
    from api.ops.commands import reencrypt as command

    command.reencrypt(batch=batch, dry_run=dry_run)
