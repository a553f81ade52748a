"""What became of a page's broadcasts."""

from dataclasses import dataclass
from typing import Final
from uuid import UUID

from api.broadcasts.errors import NoSuchBroadcast
from api.broadcasts.repository import BroadcastRepository, ListedBroadcast, Page
from api.broadcasts.schemas import Broadcast, BroadcastPage, ChannelResult, RecipientPage, RecipientResult
from api.http.cursors import InvalidCursor, read_id
from api.http.pages import cut_page
from api.http.times import timestamp
from api.vendors.messages import Channel
from warehouse.domain.addresses import checksum_address

RECIPIENTS_AT_ONCE: Final = 100


@dataclass(frozen=True, slots=True)
class Reports:
    """Reads results."""

    repository: BroadcastRepository

    async def listed(self, page: Page, cursor: str | None, limit: int) -> BroadcastPage:
        """Some of the page's broadcasts, newest first."""
        found = await self.repository.listed(page, before=read_id(cursor), limit=limit + 1)
        shown, more = cut_page(found, limit)
        return BroadcastPage(broadcasts=[_wire(row) for row in shown], next_cursor=str(shown[-1].id) if more else None)

    async def one(self, page: Page, id: UUID) -> Broadcast:
        """One broadcast.

        Raises:
            NoSuchBroadcast: the page has none with this id.
        """
        return _wire(await self.row(page, id))

    async def row(self, page: Page, id: UUID) -> ListedBroadcast:
        """The same, as the store has it."""
        found = await self.repository.listed(page, id=id, limit=1)
        if not found:
            raise NoSuchBroadcast
        return found[0]

    async def recipients(self, page: Page, id: UUID, cursor: str | None) -> RecipientPage:
        """The results of some recipients, largest holders first."""
        broadcast = await self.one(page, id)
        after = _position(cursor)
        rows = await self.repository.results(id, after, after + RECIPIENTS_AT_ONCE)
        through = after + RECIPIENTS_AT_ONCE
        return RecipientPage(
            results=[
                RecipientResult(
                    position=row.position,
                    wallet=checksum_address(row.wallet),
                    held_out=row.held_out,
                    channel=row.channel,
                    status=row.status,
                    problem=row.problem,
                )
                for row in rows
            ],
            next_cursor=str(through) if through < (broadcast.recipients or 0) else None,
        )


def _position(cursor: str | None) -> int:
    if cursor is None:
        return 0
    if not (cursor.isascii() and cursor.isdecimal() and len(cursor) <= 6):
        raise InvalidCursor
    return int(cursor)


def _wire(row: ListedBroadcast) -> Broadcast:
    results = [ChannelResult(**one) for one in row.deliveries]
    if row.inbox_entries:
        results.insert(0, ChannelResult(channel=Channel.INAPP, status="delivered", count=row.inbox_entries))
    return Broadcast(
        id=str(row.id),
        kind=row.kind,
        title=row.title,
        status=row.status,
        explanation=row.status_reason,
        channels=list(row.channels),
        segments=list(row.segments),
        tier_ids=[group["id"] for group in row.holder_groups],
        recipients=row.recipients,
        held_out=row.held_out,
        read=row.inbox_read,
        as_of_block=row.as_of_block,
        created_at=timestamp(row.created_at),
        due_at=timestamp(row.due_at),
        sent_at=None if row.sent_at is None else timestamp(row.sent_at),
        results=results,
    )
