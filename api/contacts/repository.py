"""Contacts in the store. Addresses are sealed with the row's id as purpose."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from warehouse.store import Store, Transaction

CODES_OF_ACCOUNT_PER_DAY: Final = 10
CODES_TO_ADDRESS_PER_HOUR: Final = 3


@dataclass(frozen=True, slots=True)
class ContactRecord:
    """A contact as its account sees it."""

    id: UUID
    channel: str
    sealed: bytes
    created_at: datetime
    confirmed_at: datetime | None
    failed_at: datetime | None


@dataclass(frozen=True, slots=True)
class LockedContact:
    """A contact that is being changed. ``code_mac`` is of the code that confirms it."""

    id: UUID
    channel: str
    sealed: bytes
    fingerprint: bytes
    confirmed_at: datetime | None
    code_mac: bytes | None
    code_ends_at: datetime | None
    code_tries: int


@dataclass(frozen=True, slots=True)
class ContactRepository:
    """See the module."""

    store: Store

    async def listed(self, account_id: UUID) -> list[ContactRecord]:
        """The account's contacts."""
        return await self.store.rows("contacts/list", {"account_id": account_id}, ContactRecord)

    async def lock(self, transaction: Transaction, account_id: UUID, channel: str) -> LockedContact | None:
        """The account's contact on a channel, locked. Requests of one account come one after another."""
        await transaction.execute("contacts/lock_account", {"account_id": account_id})
        parameters = {"account_id": account_id, "channel": channel}
        return await transaction.row("contacts/lock", parameters, LockedContact)

    async def replace(self, transaction: Transaction, contact: Mapping[str, Any]) -> None:
        """Put a contact in the place of the one that the account has on the channel."""
        await self.remove(transaction, contact["account_id"], contact["channel"])
        await transaction.execute("contacts/insert", contact)

    async def remove(self, transaction: Transaction, account_id: UUID, channel: str) -> bool:
        """Remove a contact; whether there was one."""
        return bool(await transaction.execute("contacts/remove", {"account_id": account_id, "channel": channel}))

    async def take_code(self, transaction: Transaction, account_id: UUID, fingerprint: bytes, now: datetime) -> bool:
        """Count a code that is about to be sent; false, and nothing counted, if there were too many."""
        await transaction.execute("contacts/lock_address", {"fingerprint": fingerprint})
        counted = await transaction.row(
            "contacts/count_codes",
            {
                "account_id": account_id,
                "fingerprint": fingerprint,
                "hour_ago": now - timedelta(hours=1),
                "day_ago": now - timedelta(days=1),
            },
        )
        assert counted is not None  # noqa: S101 - counts are one row
        if counted["of_account"] >= CODES_OF_ACCOUNT_PER_DAY or counted["to_address"] >= CODES_TO_ADDRESS_PER_HOUR:
            return False
        parameters = {"account_id": account_id, "fingerprint": fingerprint, "now": now}
        await transaction.execute("contacts/add_code", parameters)
        return True
