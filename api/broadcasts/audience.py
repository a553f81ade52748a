"""Whom a broadcast is for: subscribers in its segments, largest holders first."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from api.broadcasts.groups import HolderGroup
from api.broadcasts.repository import MAX_RECIPIENTS, BroadcastRepository, Page, Subscriber
from api.broadcasts.segments import Holdings, Segment, read_holdings
from api.warehouse import WarehouseReader


@dataclass(frozen=True, slots=True)
class Wanted:
    """Whom a broadcast is for: who is reached over one of the channels, is in any of the segments, if there are some,
    and in any of the groups, if there are some."""

    channels: Sequence[str]
    segments: Sequence[Segment] = ()
    groups: Sequence[HolderGroup] = ()

    @property
    def is_everybody(self) -> bool:
        """Whether every subscriber is meant, whatever it holds."""
        return not self.groups and (not self.segments or Segment.ALL in self.segments)

    def has(self, wallet: str, holdings: Holdings) -> bool:
        """Whether a wallet is meant."""
        if not holdings.selects(wallet, self.segments):
            return False
        holding = holdings.of(wallet)
        return not self.groups or any(group.has(holding, holdings.held_raw) for group in self.groups)


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

    async def count(self, page: Page, wanted: Wanted, now: datetime) -> tuple[int, int | None]:
        """How many recipients there would be now, and as of which block segments and groups hold."""
        if wanted.is_everybody:
            accounts, _ = await self.repository.count_subscribers(page, wanted.channels)
            return min(accounts, self.most), None
        chosen = await self.choose(page, wanted, now)
        return len(chosen.recipients), chosen.as_of_block

    async def choose(self, page: Page, wanted: Wanted, now: datetime) -> Chosen:
        """The recipients as of the last published block.

        Raises:
            WarehouseUnavailable: nobody can say now.
        """
        subscribers = await self.repository.subscribers(page, wanted.channels)
        if not subscribers:
            return Chosen([], None)
        wallets = [one.wallet for one in subscribers]
        holdings = await read_holdings(self.warehouse, page.chain_id, page.token_address, wallets, now.date())
        found = [(one, holdings.of(one.wallet).balance_raw) for one in subscribers if wanted.has(one.wallet, holdings)]
        found.sort(key=lambda pair: (-pair[1], pair[0].wallet))
        return Chosen(found[: self.most], holdings.as_of_block)


def is_held_out(broadcast_id: UUID, account_id: UUID, percent: int) -> bool:
    """Whether a recipient is in the share that gets nothing. It follows from the two ids, so a repeated run chooses the
    same ones."""
    drawn = int.from_bytes(hashlib.sha256(broadcast_id.bytes + account_id.bytes).digest()[:8])
    return drawn % 100 < percent
