"""Commands for signing keys and notices to operators."""

from typing import Annotated

import typer

signing_keys = typer.Typer(help="Keys that sign sessions.", no_args_is_help=True)
notices = typer.Typer(help="Notices to operators.", no_args_is_help=True)
events = typer.Typer(help="Events that operators record.", no_args_is_help=True)


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


@events.command("autofix-failed")
def record_failed_autofix(
    wallet: Annotated[str, typer.Option(metavar="ADDRESS", help="A wallet of the account that gets the event.")],
    app: Annotated[str, typer.Option(help="The app whose automatic fix failed.")],
    run: Annotated[str, typer.Option(help="The run that failed. One run is one event.")],
    message: Annotated[str, typer.Option(help="What failed. The account's webhooks get the text.")],
) -> None:
    """Tell an account that an automatic fix of its app failed: the event ci.autofix.failed.

    Example:

      regalia events autofix-failed --wallet 0x7099… --app quill-site --run run-1842 --message "The build fails."
    """
    from api.ops.commands import accounts

    accounts.record_failed_autofix(wallet, app, run, message)
