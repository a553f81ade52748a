"""Feeds of the caller's account."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any
from uuid import UUID, uuid4

from api.alerts.errors import FeedLimit, NoSuchFeed, RuleBeingCreated, TokenNotIndexed
from api.alerts.feeds.matching import FeedTerms
from api.alerts.feeds.schemas import ChatChannel, CreateFeed, Feed, FeedChat, UpdateFeed
from api.alerts.repository import AlertRuleRepository, WatchedToken
from api.alerts.rules import find_chain
from api.clock import Clock
from api.contacts.errors import ChannelOff
from api.http.addresses import chain_address
from api.http.errors import InvalidInput
from api.http.times import timestamp
from api.security.callers import WalletSession
from api.security.sealing import Sealer
from api.subscriptions.errors import WalletNotSignedIn
from api.vendors.messages import AddressRefused, Channel, Vendor
from warehouse.domain.addresses import checksum_address
from warehouse.domain.alerts import FEEDS_OF_PLAN
from warehouse.domain.chains import Chain, Chains
from warehouse.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedRecord(FeedTerms):
    """A feed as it is stored."""

    channel: ChatChannel | None
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Feeds:
    """See the module."""

    store: Store
    chains: Chains
    vendors: Mapping[Channel, Vendor]
    sealer: Sealer
    clock: Clock
    upgrade_url: str

    async def list_all(self, session: WalletSession) -> list[Feed]:
        """The account's feeds, oldest first."""
        return [self._rendered(row) for row in await self._rows(session, None)]

    async def find(self, session: WalletSession, id: UUID) -> FeedRecord:
        """One of the account's feeds.

        Raises:
            NoSuchFeed: the account has no such feed.
        """
        rows = await self._rows(session, id)
        if not rows:
            raise NoSuchFeed
        return rows[0]

    async def read(self, session: WalletSession, id: UUID) -> Feed:
        """One of the account's feeds, as it is shown."""
        return self._rendered(await self.find(session, id))

    async def create(self, session: WalletSession, body: CreateFeed) -> Feed:
        """Create a feed.

        Raises:
            InvalidInput, WalletNotSignedIn, TokenNotIndexed, ChannelOff: it cannot be.
            FeedLimit: the plan allows no more.
            RuleBeingCreated: another request of the account creates something; try again.
        """
        chain = find_chain(self.chains, body.chain_id)
        if chain is None or chain.claim_only or not (chain.enabled and chain.can_index):
            raise InvalidInput("chainId", f"{body.chain_id[:64]!a} is not a chain whose trades are read here")
        id = uuid4()
        feed = {
            "id": id,
            "account_id": session.account_id,
            "chain_id": chain.chain_id,
            **await self._followed(session, body, chain),
            **_size(body),
            **self._chat(body.chat, id),
            "now": self.clock.now(),
        }
        repository = AlertRuleRepository(self.store)
        async with self.store.transaction() as transaction:
            plan = await repository.lock_account(transaction, session.account_id)
            if plan is None:
                raise RuleBeingCreated
            counted = await transaction.row("feeds/count", {"account_id": session.account_id})
            if counted is None or counted["feeds"] >= FEEDS_OF_PLAN[plan]:
                raise FeedLimit.of(plan, self.upgrade_url)
            await transaction.execute("feeds/add", feed)
        return await self.read(session, id)

    async def update(self, session: WalletSession, id: UUID, body: UpdateFeed) -> Feed:
        """Change the size of a feed.

        Raises:
            InvalidInput, NoSuchFeed: it cannot be changed.
        """
        async with self.store.transaction() as transaction:
            wanted = {"id": id, "account_id": session.account_id, **_size(body)}
            if await transaction.row("feeds/change", wanted) is None:
                raise NoSuchFeed
        return await self.read(session, id)

    async def delete(self, session: WalletSession, id: UUID) -> None:
        """Delete a feed; what waits for its chat is not sent.

        Raises:
            NoSuchFeed: the account has no such feed.
        """
        async with self.store.transaction() as transaction:
            if await transaction.row("feeds/delete", {"id": id, "account_id": session.account_id}) is None:
                raise NoSuchFeed

    async def _rows(self, session: WalletSession, id: UUID | None) -> list[FeedRecord]:
        return await self.store.rows("feeds/list", {"account_id": session.account_id, "id": id}, FeedRecord)

    async def _followed(self, session: WalletSession, body: CreateFeed, chain: Chain) -> dict[str, str | None]:
        """What the feed follows, as columns."""
        if (body.token_address is None) == (body.wallet is None):
            raise InvalidInput("tokenAddress", "must be given, or wallet, but not both")
        if body.wallet is not None:
            wallet = chain_address("wallet", body.wallet, chain)
            if wallet not in session.wallets:
                raise WalletNotSignedIn
            return {"token_address": None, "owner_wallet": wallet}
        token = WatchedToken(chain, chain_address("tokenAddress", str(body.token_address), chain))
        standing = await AlertRuleRepository(self.store).standing(token)
        if standing.symbol is None:
            raise TokenNotIndexed
        return {"token_address": token.address, "owner_wallet": None}

    def _chat(self, chat: FeedChat | None, id: UUID) -> dict[str, Any]:
        """The chat, as columns; its address is sealed with the feed's id as purpose."""
        if chat is None:
            return {"channel": None, "sealed": None}
        vendor = self.vendors.get(Channel(chat.channel))
        if vendor is None:
            raise ChannelOff
        try:
            address = vendor.read_address(chat.to)
        except AddressRefused as error:
            raise InvalidInput("chat.to", str(error)) from error
        if chat.channel == "discord" and not address.startswith("http"):
            raise InvalidInput("chat.to", "must be the URL of a channel's webhook")
        if chat.channel == "telegram" and not address.startswith("-"):
            raise InvalidInput("chat.to", "must be the id of a group or channel, which begins with -")
        return {"channel": chat.channel, "sealed": self.sealer.seal(address.encode(), str(id))}

    def _rendered(self, row: FeedRecord) -> Feed:
        chain = self.chains.by_id(row.chain_id)
        return Feed(
            id=str(row.id),
            chain_id=chain.caip2 if chain else f"eip155:{row.chain_id}",
            token_address=None if row.token_address is None else checksum_address(row.token_address),
            wallet=None if row.owner_wallet is None else checksum_address(row.owner_wallet),
            min_usd=row.min_usd,
            min_amount_raw=None if row.min_raw is None else str(row.min_raw),
            chat=row.channel,
            after_block=row.after_block,
            created_at=timestamp(row.created_at),
        )


def _size(body: CreateFeed | UpdateFeed) -> dict[str, Decimal | int | None]:
    """The size, as columns."""
    if (body.min_usd is None) == (body.min_amount_raw is None):
        raise InvalidInput("minUsd", "must be given, or minAmountRaw, but not both")
    return {
        "min_usd": None if body.min_usd is None else Decimal(repr(body.min_usd)),
        "min_raw": None if body.min_amount_raw is None else int(body.min_amount_raw),
    }
