"""Reading the buys that feeds tell of: one query for any number of feeds."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from api.alerts.feeds.matching import FeedTerms, Owned, owned_tokens, tokens_of, wallets_of
from warehouse.readers.buys import Buy, read_buys
from warehouse.readers.source import Source
from warehouse.store import Store

_MOST_BUYS: Final = 5_000
_MOST_BLOCKS: Final = 5_000
_MOST_OF_A_BLOCK: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Batch:
    """All buys of some tokens in blocks up to ``through``, in their order."""

    through: int
    buys: Sequence[Buy]


@dataclass(frozen=True, slots=True)
class FeedReading:
    """See the module."""

    store: Store
    warehouse: Source

    async def finals(self) -> dict[int, int]:
        """Through which block the buys of each chain are told: final blocks, so that no reorganisation takes one
        back."""
        return {row["chain_id"]: row["block"] for row in await self.store.rows("feeds/read_final")}

    async def owned(self, feeds: Sequence[FeedTerms]) -> Owned:
        """The tokens of the wallets that feeds follow."""
        wallets = wallets_of(feeds)
        return owned_tokens(await self.store.rows("feeds/list_owned", {"wallets": wallets})) if wallets else {}

    async def batch(self, chain_id: int, feeds: Sequence[FeedTerms], owned: Owned, told: int, final: int) -> Batch:
        """The buys that feeds follow in blocks after ``told``: as far as a query gives them, up to ``final``."""
        tokens = sorted({token for feed in feeds for token in tokens_of(feed, owned)})
        if not tokens:
            return Batch(final, [])
        first, through = told + 1, min(final, told + _MOST_BLOCKS)
        buys = await read_buys(self.warehouse, chain_id, tokens, first=first, through=through, limit=_MOST_BUYS)
        if len(buys) < _MOST_BUYS:
            return Batch(through, buys)
        # The last block may be cut: it is read again, alone if it is the only one.
        last = buys[-1].block_number
        if last > first:
            return Batch(last - 1, [buy for buy in buys if buy.block_number < last])
        buys = await read_buys(self.warehouse, chain_id, tokens, first=first, through=first, limit=_MOST_OF_A_BLOCK)
        return Batch(first, buys)
