"""An account's wallets and usage in the store."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from uuid import UUID

from warehouse.store import Store, Transaction

DAY = timedelta(days=1)


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

    async def usage(self, account_id: UUID, first: date) -> list[DayOfUse]:
        """What was used by day and caller since a day, oldest first."""
        return await self.store.rows("accounts/list_usage", {"account_id": account_id, "first": first}, DayOfUse)
