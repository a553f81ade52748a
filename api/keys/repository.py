"""API keys in the store."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from api.outbound.destinations import Network
from warehouse.store import Store, Transaction

DAY = timedelta(days=1)
ENDED_SHOWN = timedelta(days=90)
"""How long revoked and expired keys are listed."""


@dataclass(frozen=True, slots=True)
class ApiKey:
    """A key without its secret.

    Args:
        scopes: None: all that a key without a list has.
        allowed_addresses: the networks it works from; None: anywhere.
        expires_at: None: never.
        replaced_by: the key it was rolled to.
    """

    id: UUID
    name: str
    prefix: str
    created_at: datetime
    last_used_at: datetime | None
    revoked_at: datetime | None
    scopes: Sequence[str] | None
    allowed_addresses: Sequence[Network] | None
    expires_at: datetime | None
    replaced_by: UUID | None


@dataclass(frozen=True, slots=True)
class LockedKey(ApiKey):
    """A key whose row is locked. ``quota_id``: what its requests are counted for."""

    quota_id: UUID


@dataclass(frozen=True, slots=True)
class KeyOfRequest(ApiKey):
    """A key that was made by a request with an Idempotency-Key. ``sealed_secret``: its secret, encrypted."""

    request_hash: bytes
    sealed_secret: bytes


@dataclass(frozen=True, slots=True)
class Rights:
    """What a key may do, from where and for how long; see :class:`ApiKey`."""

    name: str
    scopes: Sequence[str] | None
    allowed_addresses: Sequence[Network] | None
    expires_at: datetime | None


@dataclass(frozen=True, slots=True)
class KeyCounts:
    """An account's keys: how many are active, and when the n-th newest made within a day was made; None if there are
    fewer. A rolled key and its replacement count once."""

    active: int
    nth_newest_at: datetime | None


class KeyRepository:
    """Statements on the keys of an account."""

    def __init__(self, store: Store) -> None:
        self.store = store

    async def keys(self, account_id: UUID, now: datetime) -> list[ApiKey]:
        """Its active keys, and those that ended recently; oldest first."""
        return await self.store.rows("keys/list", {"account_id": account_id, "ended_after": now - ENDED_SHOWN}, ApiKey)

    async def lock_account(self, transaction: Transaction, account_id: UUID) -> str:
        """Lock the making of keys until the transaction ends; returns the account's plan."""
        row = await transaction.row("accounts/lock", {"account_id": account_id})
        if row is None:
            raise LookupError(f"account {account_id} is gone")
        plan: str = row["plan"]
        return plan

    async def lock(self, transaction: Transaction, account_id: UUID, key_id: UUID) -> LockedKey | None:
        """Lock a key; None where the account has no such key."""
        return await transaction.row("keys/lock", {"account_id": account_id, "id": key_id}, LockedKey)

    async def counts(self, transaction: Transaction, account_id: UUID, now: datetime, n: int) -> KeyCounts:
        """How many keys the account has and made lately; see :class:`KeyCounts`."""
        wanted = {"account_id": account_id, "since": now - DAY, "now": now, "n": n}
        return (await transaction.rows("keys/count", wanted, KeyCounts))[0]

    async def add(self, transaction: Transaction, key: dict[str, Any], rights: Rights) -> ApiKey:
        """Store a new key: ``account_id``, ``prefix``, ``key_hash``, ``now``, ``quota_of`` if it replaces another, and
        ``idempotency_key`` with ``request_hash`` where the request had one."""
        values = {
            "quota_of": None,
            "idempotency_key": None,
            "request_hash": None,
            **key,
            **rights_columns(rights),
        }
        return (await transaction.rows("keys/add", values, ApiKey))[0]

    async def change(self, transaction: Transaction, key_id: UUID, rights: Rights) -> ApiKey:
        """Replace what a locked key may do."""
        return (await transaction.rows("keys/change", {"id": key_id, **rights_columns(rights)}, ApiKey))[0]

    async def replace(
        self, transaction: Transaction, key_id: UUID, *, replaced_by: UUID, ends_at: datetime, now: datetime
    ) -> None:
        """Let a locked key end, for another that replaces it."""
        values = {"id": key_id, "replaced_by": replaced_by, "ends_at": ends_at, "now": now}
        await transaction.execute("keys/replace", values)

    async def seal(self, transaction: Transaction, key_id: UUID, sealed: bytes) -> None:
        """Keep a key's secret, encrypted, for repeats of the request that made it."""
        await transaction.execute("keys/seal", {"id": key_id, "sealed": sealed})

    async def of_request(
        self, transaction: Transaction, account_id: UUID, idempotency_key: str, since: datetime
    ) -> KeyOfRequest | None:
        """The key that a request with this Idempotency-Key made since a moment. An older one is forgotten, so that the
        key can be used again."""
        values = {"account_id": account_id, "idempotency_key": idempotency_key}
        found = await transaction.row("keys/find_of_request", {**values, "since": since}, KeyOfRequest)
        if found is None:
            await transaction.execute("keys/forget_request", values)
        return found

    async def replaced(self, transaction: Transaction, key_id: UUID) -> ApiKey | None:
        """The key that this one replaced."""
        return await transaction.row("keys/find_replaced", {"id": key_id}, ApiKey)

    async def revoke(self, transaction: Transaction, account_id: UUID, key_id: UUID, now: datetime) -> ApiKey | None:
        """Revoke a key of the account; None where it has no such key."""
        return await transaction.row("keys/revoke", {"id": key_id, "account_id": account_id, "now": now}, ApiKey)


def rights_columns(rights: Rights) -> dict[str, Any]:
    """What a key may do, as columns."""
    return {
        "name": rights.name,
        "scopes": None if rights.scopes is None else list(rights.scopes),
        "allowed_addresses": None if rights.allowed_addresses is None else list(rights.allowed_addresses),
        "expires_at": rights.expires_at,
    }
