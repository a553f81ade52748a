"""Refusals of the account routes."""

from collections.abc import Mapping
from typing import Any, ClassVar

from api.http.errors import Conflict, Forbidden, NotFound
from api.limits.schemas import PlanLimit


class KeyLimit(Forbidden):
    """The account has as many API keys as its plan allows."""

    code = "KEY_LIMIT"
    text = "plan free allows 2 API keys, this account has 2"
    details_schema = PlanLimit
    example_details: ClassVar[Mapping[str, Any]] = {"plan": "free", "limit": 2}


class LastWallet(Conflict):
    """An account keeps at least one wallet."""

    code = "LAST_WALLET"
    text = "wallet: is the only one of this account; link another one first"


class KeyRevoked(Conflict):
    """A revoked key is not changed any more."""

    text = "the key is revoked; it keeps its name"


class WalletNotLinked(NotFound):
    """The account has no such wallet."""

    text = "wallet: this account has no such wallet"


class KeyNotFound(NotFound):
    """The account has no API key of this id."""

    text = "id: this account has no such API key"
