"""``regalia keys`` and ``regalia plans``."""

import contextlib
import json
from collections.abc import Iterator

from rich.console import Console
from rich.table import Table

from api.accounts.service import Accounts
from api.core.settings import load
from warehouse import engines


@contextlib.contextmanager
def accounts() -> Iterator[Accounts]:
    """The accounts of the data directory's store, which is started when it does not run."""
    settings = load()
    with (
        engines.ensure(settings) as urls,
        contextlib.closing(Accounts(urls.database_url, key_prefix=settings.api_key_prefix)) as found,
    ):
        yield found


def create_key(wallet: str, plan: str, name: str) -> None:
    """Print a new key as one line of JSON."""
    with accounts() as service:
        made = service.create_key(wallet, plan, name)
    print(
        json.dumps({"key": made.key, "id": str(made.id), "wallet": made.wallet, "plan": made.plan, "name": made.name})
    )


def list_keys(wallet: str | None, as_json: bool) -> None:
    """Print the keys, without their secrets."""
    with accounts() as service:
        known = service.list_keys(wallet)
    if as_json:
        for key in known:
            fields = {name: getattr(key, name) for name in ("id", "prefix", "wallet", "plan", "name")}
            times = {name: getattr(key, name) for name in ("created_at", "last_used_at", "revoked_at")}
            texts = {name: value.isoformat() if value else None for name, value in times.items()}
            print(json.dumps({**fields, "id": str(key.id), **texts}))
        return
    table = Table("id", "prefix", "wallet", "plan", "name", "created", "last used", "revoked", box=None)
    for key in known:
        moments = (key.created_at, key.last_used_at, key.revoked_at)
        shown = (moment.strftime("%Y-%m-%d %H:%M") if moment else "-" for moment in moments)
        table.add_row(str(key.id), f"{key.prefix}…", key.wallet, key.plan, key.name, *shown)
    Console(width=None if known else 80, soft_wrap=True).print(table)


def revoke_key(key: str) -> None:
    """Revoke a key by its id, prefix or secret."""
    with accounts() as service:
        revoked = service.revoke_key(key)
    print(f"revoked {revoked.prefix}… ({revoked.id}) of {revoked.wallet}")


def set_plan(wallet: str, plan: str) -> None:
    """Give a wallet's account a plan."""
    with accounts() as service:
        service.set_plan(wallet, plan)
    print(f"{wallet} has plan {plan}")
