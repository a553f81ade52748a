"""The scopes of API keys: each route that takes a key needs one, which its route group declares."""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Final


class KeyScope(StrEnum):
    """What an API key may do."""

    READ = "read"
    CLAIM = "claim"
    ACCOUNT = "account"
    WEBHOOKS_READ = "webhooks:read"
    WEBHOOKS_WRITE = "webhooks:write"
    AUDIT = "audit"


DESCRIPTIONS: Final[Mapping[KeyScope, str]] = {
    KeyScope.READ: "search and read tokens, registrations, heartbeats, lists, fees and history",
    KeyScope.CLAIM: "verify control, build claims and follow them; open challenges",
    KeyScope.ACCOUNT: "read the account's plan, limits and usage",
    KeyScope.WEBHOOKS_READ: "read webhooks and their deliveries",
    KeyScope.WEBHOOKS_WRITE: "create, change, test and delete webhooks, and replay events",
    KeyScope.AUDIT: "read the account's audit log",
}
UNRESTRICTED: Final = frozenset(KeyScope) - {KeyScope.AUDIT}
"""What a key without a list of scopes may do: what every key could do before there were scopes. Later scopes are not
added here, so that no old key gains a right."""


def granted(scopes: Iterable[str] | None) -> frozenset[KeyScope]:
    """What a key with these scopes may do; None: it has no list."""
    return UNRESTRICTED if scopes is None else frozenset(map(KeyScope, scopes))
