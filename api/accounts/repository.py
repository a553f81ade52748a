"""An account's wallets, keys and usage in the store."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from uuid import UUID

from warehouse.store import Store, Transaction

DAY = timedelta(days=1)
REVOKED_SHOWN = timedelta(days=90)


@dataclass(frozen=True, slots=True)
class Account:
    """An account: its first wallet and its plan."""

    id: UUID
    wallet: str
    plan: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class LinkedWallet:
    """A wallet of an account. ``chain_id``: the chain whose contract signed in; None if a key did."""

    wallet: str
    linked_at: datetime
    chain_id: int | None


@dataclass(frozen=True, slots=True)
class ApiKey:
    """A key without its secret."""

    id: UUID
    name: str
    prefix: str
    created_at: datetime
    last_used_at: datetime | None
    revoked_at: datetime | None


@dataclass(frozen=True, slots=True)
class KeyCounts:
    """An account's keys: how many are active, and when the n-th newest made within a day was made; None if there are
    fewer."""

    active: int
    nth_newest_at: datetime | None


@dataclass(frozen=True, slots=True)
class DayOfUse:
    """Requests of one caller on a day in UTC. ``subject`` is the key, or the account for its sessions, which have no
    name and no prefix."""

    subject: UUID
    day: date
    used: int
    name: str | None
    prefix: str | None


class AccountRepository:
    """What accounts see and change of themselves."""

    def __init__(self, store: Store) -> None:
        self.store = store

    async def account(self, account_id: UUID) -> Account:
        """The account."""
        row = await self.store.row("accounts/find", {"account_id": account_id}, Account)
        if row is None:
            raise LookupError(f"account {account_id} is gone")  # accounts are never deleted
        return row

    async def wallets(self, account_id: UUID) -> list[LinkedWallet]:
        """Its wallets, the first one first."""
        return await self.store.rows("accounts/list_wallets", {"account_id": account_id}, LinkedWallet)

    async def keys(self, account_id: UUID, now: datetime) -> list[ApiKey]:
        """Its active keys, and those revoked recently; oldest first."""
        return await self.store.rows(
            "accounts/list_keys", {"account_id": account_id, "revoked_after": now - REVOKED_SHOWN}, ApiKey
        )

    async def lock(self, transaction: Transaction, account_id: UUID) -> str:
        """Lock the making of keys until the transaction ends; returns the account's plan."""
        row = await transaction.row("accounts/lock", {"account_id": account_id})
        if row is None:
            raise LookupError(f"account {account_id} is gone")
        plan: str = row["plan"]
        return plan

    async def counts(self, transaction: Transaction, account_id: UUID, now: datetime, n: int) -> KeyCounts:
        """How many keys the account has and made lately; see :class:`KeyCounts`."""
        wanted = {"account_id": account_id, "since": now - DAY, "n": n}
        return (await transaction.rows("accounts/count_keys", wanted, KeyCounts))[0]

    async def add_key(
        self, transaction: Transaction, account_id: UUID, *, name: str, prefix: str, key_hash: bytes, now: datetime
    ) -> ApiKey:
        """Store a new key's hash."""
        values = {"account_id": account_id, "name": name, "prefix": prefix, "key_hash": key_hash, "now": now}
        return (await transaction.rows("accounts/add_key", values, ApiKey))[0]

    async def rename_key(self, account_id: UUID, key_id: UUID, name: str) -> ApiKey | None:
        """Give a key of the account another name, unless it is revoked; None where it has no such key."""
        async with self.store.transaction() as transaction:
            key = {"id": key_id, "account_id": account_id, "name": name}
            return await transaction.row("accounts/rename_key", key, ApiKey)

    async def unlink_wallet(
        self, transaction: Transaction, account_id: UUID, wallet: str, now: datetime
    ) -> list[str] | None:
        """Remove a wallet from the account and from its sessions; a session of that wallet alone ends. The answer is
        the account's wallets before, the first one first; None if the wallet is not one of them. The only wallet of an
        account is not removed."""
        values = {"account_id": account_id, "wallet": wallet}
        await transaction.rows("accounts/lock_wallet", {"wallet": wallet})
        await transaction.rows("accounts/lock_sessions_of_wallet", values)
        await transaction.rows("accounts/lock_links", {"account_id": account_id})
        linked: list[str] = [
            row["wallet"] for row in await transaction.rows("accounts/list_linked_wallets", {"account_id": account_id})
        ]
        if wallet not in linked:
            return None
        others = [other for other in linked if other != wallet]
        if others:
            await transaction.execute("accounts/unlink_wallet", values)
            await transaction.execute("accounts/remove_wallet_from_sessions", {**values, "now": now})
            await transaction.execute("accounts/set_first_wallet", {**values, "first": others[0]})
            await transaction.rows("accounts/notify_access", {"account_id": account_id})
        return linked

    async def revoke_key(self, account_id: UUID, key_id: UUID, now: datetime) -> ApiKey | None:
        """Revoke a key of the account; None where it has no such key."""
        async with self.store.transaction() as transaction:
            key = {"id": key_id, "account_id": account_id, "now": now}
            return await transaction.row("accounts/revoke_key", key, ApiKey)

    async def usage(self, account_id: UUID, first: date) -> list[DayOfUse]:
        """What was used by day and caller since a day, oldest first."""
        return await self.store.rows("accounts/list_usage", {"account_id": account_id, "first": first}, DayOfUse)
