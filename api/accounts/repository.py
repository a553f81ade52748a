"""An account's wallets, keys and usage in the store."""

from datetime import date, datetime, timedelta
from uuid import UUID

from warehouse.store import Row, Store, Transaction

DAY = timedelta(days=1)
REVOKED_SHOWN = timedelta(days=90)


class AccountRepository:
    """What accounts see and change of themselves."""

    def __init__(self, store: Store) -> None:
        self.store = store

    async def account(self, account_id: UUID) -> Row:
        """The account."""
        row = await self.store.row("accounts/find", {"account_id": account_id})
        if row is None:
            raise LookupError(f"account {account_id} is gone")  # nobody deletes accounts
        return row

    async def wallets(self, account_id: UUID) -> list[Row]:
        """Its wallets, the first one first."""
        return await self.store.rows("accounts/list_wallets", {"account_id": account_id})

    async def keys(self, account_id: UUID, now: datetime) -> list[Row]:
        """Its keys that stand, and those revoked of late; oldest first."""
        return await self.store.rows(
            "accounts/list_keys", {"account_id": account_id, "revoked_after": now - REVOKED_SHOWN}
        )

    async def lock(self, transaction: Transaction, account_id: UUID) -> str:
        """Keep others from making keys until the transaction ends; the answer is the account's plan."""
        row = await transaction.row("accounts/lock", {"account_id": account_id})
        if row is None:
            raise LookupError(f"account {account_id} is gone")
        plan: str = row["plan"]
        return plan

    async def counts(self, transaction: Transaction, account_id: UUID, now: datetime, most: int) -> Row:
        """How many keys stand, how many were made within a day, and when the ``most``-th newest of these was."""
        row = await transaction.row("accounts/count_keys", {"account_id": account_id, "since": now - DAY, "most": most})
        return row or {}

    async def add_key(
        self, transaction: Transaction, account_id: UUID, *, name: str, prefix: str, key_hash: bytes, now: datetime
    ) -> Row:
        """Keep a new key's hash."""
        values = {"account_id": account_id, "name": name, "prefix": prefix, "key_hash": key_hash, "now": now}
        row = await transaction.row("accounts/add_key", values)
        return row or {}

    async def rename_key(self, account_id: UUID, key_id: UUID, name: str) -> Row | None:
        """Give a key of the account another name, unless it is revoked; None where it has no such key."""
        async with self.store.transaction() as transaction:
            return await transaction.row("accounts/rename_key", {"id": key_id, "account_id": account_id, "name": name})

    async def unlink_wallet(
        self, transaction: Transaction, account_id: UUID, wallet: str, now: datetime
    ) -> list[str] | None:
        """Take a wallet from the account, and from its sessions, of which those end that were for no other. The answer
        is the account's wallets before, the first one first; None where the wallet is not among them. Nothing is taken
        where it is the only one."""
        values = {"account_id": account_id, "wallet": wallet}
        await transaction.rows("accounts/lock_sessions_of_wallet", values)
        await transaction.rows("accounts/lock_wallet", {"wallet": wallet})
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
            await transaction.rows("accounts/notify_access")
        return linked

    async def revoke_key(self, account_id: UUID, key_id: UUID, now: datetime) -> Row | None:
        """Revoke a key of the account; None where it has no such key."""
        async with self.store.transaction() as transaction:
            return await transaction.row("accounts/revoke_key", {"id": key_id, "account_id": account_id, "now": now})

    async def usage(self, account_id: UUID, first: date) -> list[Row]:
        """What was used by day and caller since a day, oldest first."""
        return await self.store.rows("accounts/list_usage", {"account_id": account_id, "first": first})
