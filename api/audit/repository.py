"""Entries of an account's audit log in the store."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from api.outbound.destinations import Address
from warehouse.store import Store


@dataclass(frozen=True, slots=True)
class Entry:
    """What was done. ``data``: the data of the event, which depends on the action."""

    id: UUID
    action: str
    actor: str
    wallet: str | None
    session_id: UUID | None
    address: Address | None
    key_id: UUID | None
    data: dict[str, Any]
    created_at: datetime


@dataclass(frozen=True, slots=True)
class AuditFilter:
    """Which entries a page holds. ``before``: the id that the page before ended with."""

    before: UUID | None = None
    action: str | None = None
    key_id: UUID | None = None
    begin: datetime | None = None
    end: datetime | None = None


class AuditRepository:
    """Reads and trims the audit logs."""

    def __init__(self, store: Store) -> None:
        self.store = store

    async def entries(self, account_id: UUID, wanted: AuditFilter, most: int) -> list[Entry]:
        """Entries of an account, newest first."""
        parameters = {
            "account_id": account_id,
            "before": wanted.before,
            "action": wanted.action,
            "key_id": wanted.key_id,
            "begin": wanted.begin,
            "end": wanted.end,
            "most": most,
        }
        return await self.store.rows("audit/list", parameters, Entry)

    async def forget(self, before: datetime, at_once: int) -> int:
        """Remove some entries of all accounts from before a moment; returns how many."""
        async with self.store.transaction() as transaction:
            return await transaction.execute("audit/forget", {"before": before, "at_once": at_once})
