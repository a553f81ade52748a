"""The messages of an account. A message is stored once, and an entry for each account that has it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from api.http.errors import InvalidInput
from api.http.pages import cut_page
from api.http.times import timestamp
from api.inbox.schemas import InboxMessage, InboxPage, InboxUnread
from warehouse.store import Store


@dataclass(frozen=True, slots=True)
class InboxRow:
    """A message and whether the account has read it."""

    id: UUID
    kind: str
    title: str
    body: str
    link_url: str | None
    image_url: str | None
    rich_content: Mapping[str, Any] | None
    chain_id: int | None
    token_id: int | None
    symbol: str | None
    created_at: datetime
    read_at: datetime | None


@dataclass(frozen=True, slots=True)
class Inbox:
    """Reads the inbox and marks messages as read."""

    store: Store

    async def listed(self, account_id: UUID, before: UUID | None, limit: int, *, unread: bool) -> InboxPage:
        """Some messages, newest first."""
        parameters = {"account_id": account_id, "before": before, "unread": unread, "limit": limit + 1}
        shown, more = cut_page(await self.store.rows("inbox/list", parameters, InboxRow), limit)
        return InboxPage(
            messages=[_wire(row) for row in shown],
            unread=await self.unread(account_id),
            next_cursor=str(shown[-1].id) if more else None,
        )

    async def unread(self, account_id: UUID) -> int:
        """How many messages are unread."""
        row = await self.store.row("inbox/count_unread", {"account_id": account_id})
        return int(row["unread"]) if row else 0

    async def mark(self, account_id: UUID, ids: Sequence[str], through: str | None, now: datetime) -> InboxUnread:
        """Mark messages as read. Ids of other accounts' messages change nothing.

        Raises:
            InvalidInput: something is not an id.
        """
        parameters = {
            "account_id": account_id,
            "ids": [_id(f"ids.{place}", id) for place, id in enumerate(ids)],
            "through": None if through is None else _id("through", through),
            "now": now,
        }
        async with self.store.transaction() as transaction:
            marked = await transaction.execute("inbox/mark_read", parameters)
        return InboxUnread(marked=marked, unread=await self.unread(account_id))


def _id(field: str, text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError as error:
        raise InvalidInput(field, "must be the id of a message") from error


def _wire(row: InboxRow) -> InboxMessage:
    return InboxMessage(
        id=str(row.id),
        kind=row.kind,
        title=row.title,
        body=row.body,
        link_url=row.link_url,
        image_url=row.image_url,
        rich_content=None if row.rich_content is None else dict(row.rich_content),
        chain_id=row.chain_id,
        token_id=row.token_id,
        symbol=row.symbol,
        sent_at=timestamp(row.created_at),
        read_at=None if row.read_at is None else timestamp(row.read_at),
    )
