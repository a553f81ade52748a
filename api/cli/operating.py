"""Commands for signing keys and notices to operators."""

from typing import Annotated

import typer

signing_keys = typer.Typer(help="Keys that sign sessions.", no_args_is_help=True)
notices = typer.Typer(help="Notices to operators.", no_args_is_help=True)


@signing_keys.command("rotate")
def rotate_signing_keys() -> None:
    """Create a new key for signing sessions, and keep the previous one.

    Running APIs use it at once. Existing sessions stay valid until they expire. Prints the new key's public half as one
    line of JSON.

    Example:

      regalia signing-keys rotate | jq -r .kid
    """
    from api.ops.commands import signing_keys as keys

    keys.rotate()


@signing_keys.command("list")
def list_signing_keys(
    as_json: Annotated[bool, typer.Option("--json", help="One line of JSON per key.")] = False,
) -> None:
    """List the keys that sign sessions, the current one first, without their secret halves."""
    from api.ops.commands import signing_keys as keys

    keys.list_keys(as_json)


@notices.command("test")
def send_test_notice() -> None:
    """Send a test notice to the operator's webhook and say whether it was accepted.

    Example:

      REGALIA_ALERT_WEBHOOK_URL=https://hooks.example.net/regalia regalia notices test
    """
    from api.ops.commands.notices import send_test

    send_test()
