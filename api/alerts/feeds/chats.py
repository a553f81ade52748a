"""Buys to the chats of feeds: the delivery engine as feeds use it.

One step reads the new final blocks of a chain, and writes its messages in the transaction that moves the chain's
position by compare-and-set: a step that dies is made again, and of two workers one writes.
"""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, Final
from urllib.parse import quote

from api.alerts.feeds.matching import FeedTerms, tokens_of
from api.alerts.feeds.reading import FeedReading
from api.http.rendering import dumps, plain
from api.services import Services
from api.vendors.sending import Statements, VendorEngine, vendor_engine
from warehouse.domain.addresses import address_text, hash_text, stored_from_digits
from warehouse.domain.alerts import FEEDS_OF_PLAN
from warehouse.domain.amm import EXACT
from warehouse.domain.chains import Chain, Chains
from warehouse.errors import WarehouseError
from warehouse.readers.buys import Buy

LOG = logging.getLogger(__name__)
STATEMENTS: Final = Statements("feeds/list_ready_messages", "feeds/claim_messages", "feeds/record_messages")


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatFeed(FeedTerms):
    """A feed with a chat. ``told``: through which block its chain is told; ``place``: among its account's feeds."""

    channel: str
    place: int
    plan: str
    told: int

    @property
    def is_covered(self) -> bool:
        """Whether the account's plan covers it: the oldest feeds, as many as the plan has."""
        return self.place <= FEEDS_OF_PLAN[self.plan]


@dataclass(frozen=True, slots=True)
class FeedMessages:
    """Makes the messages of buys; see the module."""

    reading: FeedReading
    chains: Chains
    site_url: str

    async def step(self, now: datetime) -> tuple[int, int]:
        """Tell some blocks of each chain; how many chains moved on, and how many messages were made."""
        store = self.reading.store
        feeds = await store.rows("feeds/list_chats", {}, ChatFeed)
        if not feeds:
            return 0, 0
        finals = await self.reading.finals()
        moved = made = 0
        for chain_id in sorted({feed.chain_id for feed in feeds}):
            chain, of_chain = self.chains.by_id(chain_id), [feed for feed in feeds if feed.chain_id == chain_id]
            told, final = of_chain[0].told, finals.get(chain_id, 0)
            if chain is None or final <= told:
                continue
            try:
                through, messages = await self._messages(chain, of_chain, told, final)
            except WarehouseError as error:
                LOG.warning("buys of %s cannot be read now: %s", chain.key, error)
                continue
            async with store.transaction() as transaction:
                wanted = {"chain_id": chain_id, "told": told, "through": through}
                if await transaction.row("feeds/advance", wanted) is None:
                    continue
                if messages:
                    parameters = {"messages": dumps(messages).decode(), "now": now}
                    made += await transaction.execute("feeds/add_messages", parameters)
            moved += 1
        return moved, made

    async def _messages(
        self, chain: Chain, feeds: Sequence[ChatFeed], told: int, final: int
    ) -> tuple[int, list[dict[str, Any]]]:
        """Through which block buys are read, and what is told of them."""
        covered = [feed for feed in feeds if feed.is_covered]
        owned = await self.reading.owned(covered)
        batch = await self.reading.batch(chain.chain_id, covered, owned, told, final)
        chosen = [
            (feed, buy)
            for feed in covered
            for tokens in (tokens_of(feed, owned),)
            for buy in batch.buys
            if buy.block_number > feed.after_block and buy.token in tokens and feed.tells(buy)
        ]
        names = await self._names(chain, {buy.token for _, buy in chosen})
        return batch.through, [
            self._message(chain, feed, buy, *names.get(buy.token, ("?", None))) for feed, buy in chosen
        ]

    async def _names(self, chain: Chain, tokens: set[str]) -> Mapping[str, tuple[str, int | None]]:
        """Symbols and decimals of tokens."""
        stored = {stored_from_digits(token): token for token in tokens}
        wanted = {"chain_id": chain.chain_id, "addresses": list(stored)}
        rows = await self.reading.store.rows("feeds/list_names", wanted) if stored else []
        return {stored[row["address"]]: (row["symbol"], row["decimals"]) for row in rows}

    def _message(self, chain: Chain, feed: ChatFeed, buy: Buy, symbol: str, decimals: int | None) -> dict[str, Any]:
        raw = Decimal(buy.amount_raw)
        amount = f"{buy.amount_raw} base units of" if decimals is None else plain(raw.scaleb(-decimals, EXACT))
        worth = "" if buy.usd is None else f" for {buy.usd:,.2f} USD"
        transaction = hash_text(buy.transaction, chain.address_format)
        who = f" by {address_text(buy.buyer)}" if buy.buyer else ""
        return {
            "feed_id": feed.id,
            "block_number": buy.block_number,
            "log_index": buy.log_index,
            "title": f"{symbol}: buy{worth}",
            "body": f"{amount} {symbol}{worth}{who} on {chain.name}, in transaction {transaction}.",
            "link_url": f"{self.site_url}/{chain.key}/{quote(symbol, safe='')}",
        }


def feed_engine(services: Services) -> VendorEngine:
    """An engine that tells chats of buys; each worker process has one."""
    reading = FeedReading(services.store, services.warehouse)
    making = FeedMessages(reading, services.chains, services.settings.public_site_url)
    return vendor_engine("feeds", services, STATEMENTS, making)
