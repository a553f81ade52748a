"""Commands for API keys and plans."""

from typing import Annotated

import typer

from api.cli.options import AsJson

keys = typer.Typer(help="API keys.", no_args_is_help=True)
plans = typer.Typer(help="Plans of accounts.", no_args_is_help=True)
Wallet = Annotated[str, typer.Option(metavar="ADDRESS", help="The account's wallet.")]
Plan = Annotated[str, typer.Option(help="free, pro, pro_plus, developer, partner or enterprise.")]
KeyName = Annotated[str, typer.Argument(help="The key itself, its id, or the prefix that `keys list` prints.")]


@keys.command("create")
def create_key(
    wallet: Wallet,
    plan: Annotated[
        str | None, typer.Option(help="The account's plan. Default: unchanged; free for a new account.")
    ] = None,
    name: Annotated[str, typer.Option(help="Name of the key within its account.")] = "default",
    scope: Annotated[
        list[str] | None, typer.Option(help="A scope of the key; can be given several times. Default: all but audit.")
    ] = None,
    allow: Annotated[
        list[str] | None,
        typer.Option(metavar="NETWORK", help="Network that the key may be used from; can be given several times."),
    ] = None,
    expires_days: Annotated[float | None, typer.Option(min=0, help="Days until it expires. Default: never.")] = None,
) -> None:
    """Create an API key, and an account for the wallet if it has none. A given plan becomes the account's plan.

    Prints one line of JSON with the key in `key`. It is shown only now and stored as a hash.

    Example:

      regalia keys create --wallet 0x70997970C51812dc3A010C7d01b50e0d17dc79C8 --plan developer | jq -r .key
    """
    from api.ops.commands import accounts

    accounts.create_key(wallet, plan, name, scopes=scope, addresses=allow, expires_days=expires_days)


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
    key: KeyName,
    name: Annotated[str, typer.Argument(help="The new name.")],
) -> None:
    """Rename an API key."""
    from api.ops.commands import accounts

    accounts.rename_key(key, name)


@keys.command("revoke")
def revoke_key(
    key: KeyName,
) -> None:
    """Revoke an API key. Running APIs refuse it at once."""
    from api.ops.commands import accounts

    accounts.revoke_key(key)


@plans.command("set")
def set_plan(wallet: Wallet, plan: Plan) -> None:
    """Set the plan of a wallet's account. Running APIs apply it at once, and the account's webhooks are notified.

    Example:

      regalia plans set --wallet 0x70997970C51812dc3A010C7d01b50e0d17dc79C8 --plan enterprise
    """
    from api.ops.commands import accounts

    accounts.set_plan(wallet, plan)


@plans.command("list")
def list_plans(as_json: AsJson = False) -> None:
    """List the plans with their limits, including changes by REGALIA_LIMITS. Needs nothing running."""
    from api.ops.commands import accounts

    accounts.list_plans(as_json)


@plans.command("show")
def show_plans(
    wallet: Annotated[str | None, typer.Option(metavar="ADDRESS", help="Only this wallet's account.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One line of JSON per account.")] = False,
) -> None:
    """Show accounts with their plans and today's usage."""
    from api.ops.commands import accounts

    accounts.show_plans(wallet, as_json)
