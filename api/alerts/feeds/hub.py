"""Live buys for the streams of a process: one reader for all of them.

Every two seconds the reader takes the final blocks that are new, and reads the buys of all streams on a chain with one
query. Streams that begin with older blocks, because their client was away, share a second one until they have caught
up, so they hold up nobody.

Each stream has a queue of bounded length. When its client does not read, the queue fills and the stream ends; the
client comes back with the last id that it read, and nothing is lost.
"""

import asyncio
import logging
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final
from uuid import UUID

from api.alerts.errors import TooManyStreams
from api.alerts.feeds.matching import FeedTerms, Owned, tokens_of
from api.alerts.feeds.reading import FeedReading
from api.http.errors import Unavailable
from warehouse.errors import StoreUnavailable, WarehouseError
from warehouse.readers.buys import Buy

LOG = logging.getLogger(__name__)
POLL_SECONDS: Final = 2.0
MOST_OF_ACCOUNT: Final = 5
MOST_STREAMS: Final = 1_000
MOST_WAITING: Final = 256
MOST_BEHIND: Final = 10_000
"""Blocks that a stream may be behind when it begins."""


@dataclass(slots=True, eq=False)
class Listener:
    """A stream.

    Args:
        told: through which block it has all buys.
        place: the last buy that its client has read; those up to it are left out.
        gap: whether its client was away for longer than can be made up for.
        waiting: buys to send; None ends the stream.
    """

    account_id: UUID
    feed: FeedTerms
    told: int
    place: tuple[int, int]
    gap: bool
    waiting: "asyncio.Queue[Buy | None]" = field(default_factory=lambda: asyncio.Queue(MOST_WAITING + 1))

    def give(self, buys: Sequence[Buy], through: int, owned: Owned) -> bool:
        """Queue what the feed tells of; false when there is no room left."""
        tokens = tokens_of(self.feed, owned)
        for buy in buys:
            wanted = self.told < buy.block_number <= through and buy.place > self.place
            if wanted and buy.token in tokens and self.feed.tells(buy):
                if self.waiting.qsize() >= MOST_WAITING:
                    return False
                self.waiting.put_nowait(buy)
        self.told = max(self.told, through)
        return True


class BuyHub:
    """See the module."""

    def __init__(self, reading: FeedReading, poll_seconds: float = POLL_SECONDS) -> None:
        self.reading = reading
        self.poll_seconds = poll_seconds
        self._listeners: set[Listener] = set()
        self._task: asyncio.Task[None] | None = None

    async def join(self, account_id: UUID, feed: FeedTerms, last: tuple[int, int] | None) -> Listener:
        """Begin a stream: after ``last``, the place of a buy, or with what comes from now on.

        Raises:
            TooManyStreams: the account has as many as it may have.
            Unavailable: the process has.
        """
        final = (await self.reading.finals()).get(feed.chain_id, feed.after_block)
        if sum(one.account_id == account_id for one in self._listeners) >= MOST_OF_ACCOUNT:
            raise TooManyStreams
        if len(self._listeners) >= MOST_STREAMS:
            raise Unavailable("too many streams are open, try again")
        begin = final if last is None else min(last[0] - 1, final)
        wanted, reachable = max(begin, feed.after_block), final - MOST_BEHIND
        listener = Listener(account_id, feed, max(wanted, reachable), last or (0, 0), gap=reachable > wanted)
        self._listeners.add(listener)
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._read_forever(), name="feeds: read buys")
        return listener

    def leave(self, listener: Listener) -> None:
        """End a stream."""
        self._listeners.discard(listener)

    async def close(self) -> None:
        """End all streams."""
        for listener in list(self._listeners):
            self._end(listener)
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _read_forever(self) -> None:
        while self._listeners:
            await asyncio.sleep(self.poll_seconds)
            try:
                await self.read()
            except (StoreUnavailable, WarehouseError) as error:
                LOG.warning("buys cannot be read now: %s", error)  # streams go on where they are

    async def read(self) -> None:
        """Give all streams what is new."""
        finals = await self.reading.finals()
        owned = await self.reading.owned([one.feed for one in self._listeners])
        for chain_id, final in finals.items():
            newest = max((one.told for one in self._listeners if one.feed.chain_id == chain_id), default=final)
            groups: dict[bool, list[Listener]] = defaultdict(list)
            for one in self._listeners:
                if one.feed.chain_id == chain_id and one.told < final:
                    groups[one.told == newest].append(one)
            for group in groups.values():
                told = min(one.told for one in group)
                batch = await self.reading.batch(chain_id, [one.feed for one in group], owned, told, final)
                for one in group:
                    if not one.give(batch.buys, batch.through, owned):
                        LOG.info("a stream of feed %s ends: its client does not read", one.feed.id)
                        self._end(one)

    def _end(self, listener: Listener) -> None:
        self._listeners.discard(listener)
        listener.waiting.put_nowait(None)  # there is always room for it: see MOST_WAITING
