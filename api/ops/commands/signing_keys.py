"""``regalia signing-keys``."""

import json

from rich.console import Console
from rich.table import Table

from api.clock import SystemClock
from api.security.signing_keys import SigningKey, SigningKeys
from api.services import Services
from api.settings import load


def _keys() -> SigningKeys:
    return Services.of(load()).signing_keys


def rotate() -> None:
    """Make a new signing key and print it as one line of JSON, without its secret half."""
    print(json.dumps(_fields(_keys().rotate(SystemClock().now()), current=True)))


def list_keys(as_json: bool) -> None:
    """Print the signing keys, the current one first, without their secret halves."""
    entries = [_fields(key, current=index == 0) for index, key in enumerate(_keys().current().keys)]
    if as_json:
        for entry in entries:
            print(json.dumps(entry))
        return
    table = Table("kid", "state", "created", "retired", box=None)
    for entry in entries:
        state = "current" if entry["current"] else "previous"
        table.add_row(
            str(entry["kid"]), state, *(str(entry[name] or "-")[:16] for name in ("created_at", "retired_at"))
        )
    Console().print(table)


def _fields(key: SigningKey, *, current: bool) -> dict[str, str | bool | None]:
    times = {"created_at": key.created_at, "retired_at": key.retired_at}
    return {
        "kid": key.kid,
        "current": current,
        "x": key.jwk()["x"],
        **{name: moment.isoformat() if moment else None for name, moment in times.items()},
    }
