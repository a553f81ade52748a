"""Whom a broadcast is for: subscribers in its segments, largest holders first."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from api.broadcasts.repository import MAX_RECIPIENTS, BroadcastRepository, Page, Subscriber
from api.broadcasts.segments import Segment, read_holdings
from api.warehouse import WarehouseReader


@dataclass(frozen=True, slots=True)
class Chosen:
    """Recipients with what they hold, largest first, as of a block."""

    recipients: Sequence[tuple[Subscriber, int]]
    as_of_block: int | None


@dataclass(frozen=True, slots=True)
class Audience:
    """Chooses recipients, at most so many."""

    repository: BroadcastRepository
    warehouse: WarehouseReader
    most: int = MAX_RECIPIENTS

    async def count(
        self, page: Page, channels: Sequence[str], segments: Sequence[Segment], now: datetime
    ) -> tuple[int, int | None]:
        """How many recipients there would be now, and as of which block segments hold."""
        if not segments or Segment.ALL in segments:
            accounts, _ = await self.repository.count_subscribers(page, channels)
            return min(accounts, self.most), None
        chosen = await self.choose(page, channels, segments, now)
        return len(chosen.recipients), chosen.as_of_block

    async def choose(self, page: Page, channels: Sequence[str], segments: Sequence[Segment], now: datetime) -> Chosen:
        """The recipients as of the last published block.

        Raises:
            WarehouseUnavailable: nobody can say now.
        """
        subscribers = await self.repository.subscribers(page, channels)
        if not subscribers:
            return Chosen([], None)
        wallets = [one.wallet for one in subscribers]
        holdings = await read_holdings(self.warehouse, page.chain_id, page.token_address, wallets, now.date())
        found = [
            (one, holdings.of(one.wallet).balance_raw) for one in subscribers if holdings.selects(one.wallet, segments)
        ]
        found.sort(key=lambda pair: (-pair[1], pair[0].wallet))
        return Chosen(found[: self.most], holdings.as_of_block)


def is_held_out(broadcast_id: UUID, account_id: UUID, percent: int) -> bool:
    """Whether a recipient is in the share that gets nothing. It follows from the two ids, so a repeated run chooses the
    same ones."""
    drawn = int.from_bytes(hashlib.sha256(broadcast_id.bytes + account_id.bytes).digest()[:8])
    return drawn % 100 < percent
