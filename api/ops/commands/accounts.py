"""``regalia keys`` and ``regalia plans``."""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.table import Table

from api.accounts.service import Accounts, KnownKey
from api.limits.plans import load as load_limits
from api.settings import load
from warehouse import engines
from warehouse.domain.plans import PLANS

_LIMIT_NAMES = {
    "per_second": "a second",
    "burst": "at once",
    "per_day": "a day",
    "keys": "keys",
    "new_keys": "new keys a day",
}


def _console() -> Console:
    """A console that is wide enough for every column when the output is not a terminal."""
    return Console(width=None if sys.stdout.isatty() else 240)


@contextmanager
def _open_accounts() -> Iterator[Accounts]:
    """The accounts of the data directory's store, whose engines are started if they are not running."""
    settings = load()
    with engines.ensure(settings) as urls:
        yield Accounts(urls.database_url, key_prefix=settings.api_key_prefix)


def create_key(
    wallet: str,
    plan: str | None,
    name: str,
    *,
    scopes: list[str] | None = None,
    addresses: list[str] | None = None,
    expires_days: float | None = None,
) -> None:
    """Print a new key as one line of JSON."""
    with _open_accounts() as accounts:
        made = accounts.create_key(wallet, plan, name, scopes=scopes, addresses=addresses, expires_days=expires_days)
    print(
        json.dumps({"key": made.key, "id": str(made.id), "wallet": made.wallet, "plan": made.plan, "name": made.name})
    )


def list_keys(wallet: str | None, as_json: bool) -> None:
    """Print the keys, without their secrets."""
    with _open_accounts() as accounts:
        known = accounts.list_keys(wallet)
    if as_json:
        for key in known:
            print(json.dumps(_key_object(key)))
        return
    columns = ("id", "prefix", "wallet", "plan", "name", "created", "last used", "revoked", "expires", "scopes", "from")
    table = Table(*columns, box=None)
    for key in known:
        moments = (key.created_at, key.last_used_at, key.revoked_at, key.expires_at)
        dates = (moment.strftime("%Y-%m-%d %H:%M") if moment else "-" for moment in moments)
        rights = (" ".join(map(str, one or ("-",))) for one in (key.scopes, key.allowed_addresses))
        table.add_row(str(key.id), f"{key.prefix}…", key.wallet, key.plan, key.name, *dates, *rights)
    _console().print(table)


def _key_object(key: KnownKey) -> dict[str, object]:
    moments = {name: getattr(key, name) for name in ("created_at", "last_used_at", "revoked_at", "expires_at")}
    return {
        "id": str(key.id),
        **{name: getattr(key, name) for name in ("prefix", "wallet", "plan", "name")},
        **{name: moment.isoformat() if moment else None for name, moment in moments.items()},
        "scopes": key.scopes,
        "allowed_addresses": None if key.allowed_addresses is None else list(map(str, key.allowed_addresses)),
    }


def rename_key(key: str, name: str) -> None:
    """Give a key, by its id, prefix or secret, another name."""
    with _open_accounts() as accounts:
        renamed = accounts.rename_key(key, name)
    print(f"{renamed.prefix}… ({renamed.id}) of {renamed.wallet} is called {renamed.name}")


def revoke_key(key: str) -> None:
    """Revoke a key by its id, prefix or secret."""
    with _open_accounts() as accounts:
        revoked = accounts.revoke_key(key)
    print(f"revoked {revoked.prefix}… ({revoked.id}) of {revoked.wallet}")


def set_plan(wallet: str, plan: str) -> None:
    """Give a wallet's account a plan."""
    with _open_accounts() as accounts:
        account = accounts.set_plan(wallet, plan)
    print(f"{account.wallet} has plan {account.plan}")


def list_plans(as_json: bool) -> None:
    """Print what each plan allows."""
    limits = load_limits(load().limits).plans
    if as_json:
        print(json.dumps({plan: limits[plan].model_dump() for plan in PLANS}))
        return
    table = Table("plan", *_LIMIT_NAMES.values(), box=None)
    for plan in PLANS:
        table.add_row(plan, *(f"{getattr(limits[plan], name):,}" for name in _LIMIT_NAMES))
    _console().print(table)


def show_plans(wallet: str | None, as_json: bool) -> None:
    """Print accounts with their plans, and what they used today."""
    limits = load_limits(load().limits).plans
    with _open_accounts() as accounts:
        known = accounts.list_accounts(wallet)
    if as_json:
        for account in known:
            fields = {"id": str(account.id), "wallet": account.wallet, "plan": account.plan}
            print(json.dumps({**fields, "used_today": account.used_today, "per_day": limits[account.plan].per_day}))
        return
    table = Table("id", "wallet", "plan", "used today", "a key a day", box=None)
    for account in known:
        quota = f"{limits[account.plan].per_day:,}"
        table.add_row(str(account.id), account.wallet, account.plan, f"{account.used_today:,}", quota)
    _console().print(table)


def record_failed_autofix(wallet: str, app: str, run: str, message: str) -> None:
    """Record the event and say whether it is new."""
    with _open_accounts() as accounts:
        recorded = accounts.record_failed_autofix(wallet, app=app, run=run, message=message)
    print("recorded" if recorded else f"{run} was recorded before")
