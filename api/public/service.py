"""The public reads. An answer is made once a minute for all clients, also when it is that nothing was found.

A failure is never remembered: it is 503, unless a recent answer can be given instead.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from api.apps.pages import Page, PageApps
from api.chains import ChainReaders
from api.clock import Clock
from api.http.conditional import Prepared
from api.http.errors import Unavailable
from api.http.metrics import Metrics
from api.http.remembered import RememberedAnswers
from api.http.times import unix_timestamp
from api.public.schemas import BlockReached, Coin, CoinApps, Holding, Market, Sites
from api.registrations.repository import ListingRecord, RegistrationRepository
from api.registrations.statuses import registration_status
from api.search.repository import SearchRepository
from api.search.results import page_url, trust_flags
from api.tokenlists.platforms import Listing
from indexer.chains.errors import NodeUnavailable, RpcError, TooManyAccounts
from warehouse.domain.addresses import checksum_address, digits_of
from warehouse.domain.chains import Chain
from warehouse.errors import StoreUnavailable, WarehouseUnavailable
from warehouse.readers.tokens import read_foremost_token
from warehouse.store import Store

FRESH_SECONDS = 60.0
STALE_SECONDS = 240.0
HOLDING_FRESH_SECONDS = 30.0
HOLDING_STALE_SECONDS = 30.0
COIN, APPS, SITES, HOLDING = "coin", "apps", "sites", "holding"
Key = tuple[str | int, ...]
"""Of an answer: its kind, its chain, and its subject."""
_MAX_PATHS = 50_000
_OUTAGES = (StoreUnavailable, WarehouseUnavailable, Unavailable)


class HoldingTooLarge(Unavailable):
    """A wallet on Solana has more accounts of the token than the service reads. Anyone can open accounts for a wallet;
    the wallet can close empty ones."""

    text = "the wallet has too many accounts of this token to add up; it can be read when some of them are closed"

    def __init__(self) -> None:
        super().__init__(retry_after_seconds=3600)


@dataclass(frozen=True, slots=True)
class SitesRecord:
    """The verified domains of an active registration: those that bear its badge, and those that may embed its apps."""

    symbol: str
    embeds_enabled: bool
    minted_at: datetime
    score: Decimal | None
    badges: Sequence[str]
    embeds: Sequence[str]


@dataclass(frozen=True, slots=True)
class Sources:
    """What the public reads read from."""

    store: Store
    search: SearchRepository
    readers: ChainReaders
    apps: PageApps
    clock: Clock
    site_url: str


class PublicReads:
    """The public reads of one application. Each returns None if nothing was found."""

    def __init__(self, sources: Sources, metrics: Metrics) -> None:
        self.sources = sources
        self._paths: dict[str, Key] = {}
        self._pages = RememberedAnswers(
            "public_pages",
            fresh_seconds=FRESH_SECONDS,
            stale_seconds=STALE_SECONDS,
            failures=_OUTAGES,
            metrics=metrics,
            limit=20_000,
        )
        self._holdings = RememberedAnswers(
            "public_holdings",
            fresh_seconds=HOLDING_FRESH_SECONDS,
            stale_seconds=HOLDING_STALE_SECONDS,
            failures=(RpcError,),
            metrics=metrics,
            limit=50_000,
        )

    def remembered(self, path: str) -> Prepared | None:
        """The answer to a path that was requested before, if it is remembered and fresh."""
        key = self._paths.get(path)
        if key is None:
            return None
        return (self._holdings if key[0] == HOLDING else self._pages).peek(key)

    def note(self, path: str, key: Key) -> None:
        """Remember the key of a path's answer."""
        if len(self._paths) >= _MAX_PATHS:
            self._paths.clear()
        self._paths[path] = key

    async def coin(self, chain: Chain, symbol: str) -> Prepared | None:
        """The verified coin of a symbol."""
        return await self._pages.get((COIN, chain.key, symbol), lambda: self._coin(chain, symbol))

    def forget_coin(self, chain: Chain, symbol: str) -> None:
        """Make the coin's answer again: its profile changed."""
        self._pages.forget((COIN, chain.key, symbol))

    async def apps(self, chain: Chain, symbol: str) -> Prepared | None:
        """The apps on a verified coin's page."""
        return await self._pages.get((APPS, chain.key, symbol), lambda: self._apps(chain, symbol))

    async def sites(self, chain: Chain, token_id: int) -> Prepared | None:
        """The verified sites of a coin."""
        return await self._pages.get((SITES, chain.key, token_id), lambda: self._sites(chain, token_id))

    async def holding(self, chain: Chain, token: str, wallet: str) -> Prepared | None:
        """A wallet's balance of a token, read from the chain.

        Raises:
            HoldingTooLarge: the wallet has too many accounts of the token.
            RpcError: the chain could not be read.
        """
        key = (HOLDING, chain.key, token, wallet)
        return await self._holdings.get(key, lambda: self._holding(chain, token, wallet))

    async def _verified(self, chain: Chain, symbol: str) -> ListingRecord | None:
        row = await RegistrationRepository(self.sources.store).listing(symbol, chain.chain_id)
        return row if row is not None and _is_active(row, self.sources.clock.now()) else None

    async def _coin(self, chain: Chain, symbol: str) -> Coin | None:
        row = await self._verified(chain, symbol)
        if row is None:
            return None
        listing = Listing.of(row, chain)
        publication = await self.sources.search.publication()
        found = await read_foremost_token(
            self.sources.search.source,
            symbol,
            chain.chain_id,
            version=publication.version,
            address=digits_of(row.token_address),
        )
        # A registration exists a moment before its token is published.
        document: Mapping[str, Any] = found[1] if found is not None else {}
        nsfw = row.presented.get("nsfw") is True
        return Coin(
            symbol=symbol,
            name=listing.name,
            chain=chain.key,
            chain_id=chain.caip2,
            crown_id=row.token_id,
            token_address=listing.address,
            logo_url=None if nsfw else listing.logo,
            nsfw=nsfw,
            page_url=page_url(self.sources.site_url, chain, symbol),
            market=Market(
                price_usd=_number(document.get("price_usd")),
                market_cap_usd=_number(document.get("market_cap_usd")),
                volume24h_usd=_number(document.get("volume_24h_usd")),
                liquidity_usd=_number(document.get("liquidity_usd")),
                price_change24h_pct=_number(document.get("price_change_24h")),
            ),
            holders=document.get("holders"),
            trust_flags=trust_flags(document),
            as_of=BlockReached(block=document.get("as_of_block"), time=unix_timestamp(document.get("as_of_time"))),
        )

    async def _apps(self, chain: Chain, symbol: str) -> CoinApps | None:
        row = await self._verified(chain, symbol)
        if row is None:
            return None
        page = Page(chain.chain_id, row.token_id, chain.key, symbol, checksum_address(row.token_address))
        return CoinApps(
            symbol=symbol,
            chain=chain.key,
            chain_id=chain.caip2,
            crown_id=row.token_id,
            apps=await self.sources.apps.of(page),
        )

    async def _sites(self, chain: Chain, token_id: int) -> Sites | None:
        page = {"chain_id": chain.chain_id, "token_id": token_id}
        row = await self.sources.store.row("sites/find", page, SitesRecord)
        if row is None or not _is_active(row, self.sources.clock.now()):
            return None
        return Sites(
            chain=chain.key,
            chain_id=chain.caip2,
            crown_id=token_id,
            symbol=row.symbol,
            badge_hosts=row.badges,
            embed_hosts=row.embeds,
            interactive=bool(row.embeds) and row.embeds_enabled,
        )

    async def _holding(self, chain: Chain, token: str, wallet: str) -> Holding | None:
        try:
            held = await self.sources.readers.holding(chain, token, wallet)
        except TooManyAccounts as error:
            raise HoldingTooLarge from error
        if held is None:
            known = await self.sources.store.row("tokens/has_symbol", {"chain_id": chain.chain_id, "address": token})
            if known is not None and known["found"]:
                raise NodeUnavailable(f"the node does not know a token that the index knows: {token}")
            return None
        return Holding(
            chain=chain.key,
            chain_id=chain.caip2,
            token=checksum_address(token),
            wallet=checksum_address(wallet),
            balance=str(held.balance_raw),
            holds=held.balance_raw > 0,
            as_of=BlockReached(block=held.block, time=unix_timestamp(held.time_seconds)),
        )


def _is_active(row: ListingRecord | SitesRecord, now: datetime) -> bool:
    return registration_status(row, row, row.score, now) != "inactive"


def _number(text: str | None) -> Decimal | None:
    return None if text is None else Decimal(text)
