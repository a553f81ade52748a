"""Joining and leaving pages.

A page's owner and managers hear of both: each of their accounts gets an event, recorded in the transaction that makes
it true. A repeated request changes and records nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import uuid4

from api.clock import Clock
from api.http.cursors import read_id
from api.http.errors import InvalidInput
from api.http.pages import cut_page
from api.http.times import timestamp
from api.registrations.repository import RegistrationRecord
from api.security.callers import WalletSession
from api.store.events import record
from api.subscriptions.errors import NeverHeld, NoSuchLink, NotSubscribed, WalletNotSignedIn
from api.subscriptions.leaving import LeaveLinks
from api.subscriptions.repository import ListedSubscription, SubscriptionRecord, SubscriptionRepository, has_held
from api.subscriptions.schemas import Left, Subscription, SubscriptionPage, Unsubscribed
from api.vendors.messages import Channel
from api.warehouse import WarehouseReader
from warehouse.domain.addresses import checksum_address
from warehouse.domain.chains import Chain, Chains
from warehouse.domain.events.communities import CommunityMemberJoined, CommunityMemberLeft
from warehouse.domain.events.event import Occurrence, unique_key
from warehouse.store import Transaction


@dataclass(frozen=True, slots=True)
class Subscriptions:
    """Subscriptions of the caller's account."""

    repository: SubscriptionRepository
    warehouse: WarehouseReader
    chains: Chains
    links: LeaveLinks
    clock: Clock

    async def save(
        self,
        session: WalletSession,
        registration: RegistrationRecord,
        chain: Chain,
        wallet: str,
        channels: Sequence[Channel],
    ) -> Subscription:
        """Join a page, or change wallet and channels. Safe to repeat.

        Raises:
            InvalidInput: a channel is named twice.
            WalletNotSignedIn, NeverHeld: the wallet cannot join.
            WarehouseUnavailable: nobody can say now whether it can.
        """
        if len(set(channels)) < len(channels):
            raise InvalidInput("channels", "names a channel twice")
        if not session.controls(wallet, chain.chain_id):
            raise WalletNotSignedIn
        if not await has_held(self.warehouse, chain.chain_id, registration.token_address, wallet):
            raise NeverHeld
        parameters = {
            **_key(registration),
            "token_address": registration.token_address,
            "account_id": session.account_id,
            "wallet": wallet,
            "channels": [channel for channel in Channel if channel in channels],
            "now": self.clock.now(),
        }
        async with self.repository.store.transaction() as transaction:
            saved = await self.repository.save(transaction, parameters)
            if saved.joined:
                await self._tell(transaction, saved, joined=True)
        return _wire(saved, registration.symbol)

    async def read(self, session: WalletSession, registration: RegistrationRecord) -> Subscription:
        """The account's subscription to a page.

        Raises:
            NotSubscribed: there is none.
        """
        row = await self.repository.find(session.account_id, _key(registration))
        if row is None or row.token_address != registration.token_address:
            raise NotSubscribed
        return _wire(row, registration.symbol)

    async def listed(self, session: WalletSession, cursor: str | None, limit: int) -> SubscriptionPage:
        """A page of the account's subscriptions."""
        found = await self.repository.listed(session.account_id, read_id(cursor), limit + 1)
        shown, more = cut_page(found, limit)
        return SubscriptionPage(
            subscriptions=[_wire(row, row.symbol) for row in shown],
            next_cursor=str(shown[-1].id) if more else None,
        )

    async def leave(self, session: WalletSession, chain_id: int, token_id: int) -> Unsubscribed:
        """Leave a page, also one whose registration has ended.

        Raises:
            NotSubscribed: the account is not subscribed.
        """
        async with self.repository.store.transaction() as transaction:
            left = await self.repository.remove(
                transaction, session.account_id, {"chain_id": chain_id, "token_id": token_id}
            )
            if left is None:
                raise NotSubscribed
            await self._tell(transaction, left, joined=False)
        return Unsubscribed(chain_id=chain_id, token_id=token_id, left=True)

    async def follow(self, token: str) -> Left:
        """Take a channel from the subscription that a link names; without a channel left it ends. Safe to repeat.

        Raises:
            NoSuchLink: this service did not make the link.
        """
        named = self.links.read(token)
        if named is None:
            raise NoSuchLink
        id, channel = named
        async with self.repository.store.transaction() as transaction:
            row = await self.repository.lock(transaction, id)
            if row is None or channel not in row.channels:
                return Left(unsubscribed=True)
            if len(row.channels) > 1:
                await transaction.execute("subscriptions/remove_channel", {"id": id, "channel": channel})
            else:
                await self.repository.remove(
                    transaction, row.account_id, {"chain_id": row.chain_id, "token_id": row.token_id}
                )
                await self._tell(transaction, row, joined=False)
        return Left(unsubscribed=True)

    async def _tell(self, transaction: Transaction, about: SubscriptionRecord, *, joined: bool) -> None:
        """Record the event for each account that manages the page."""
        chain = self.chains.by_id(about.chain_id)
        if chain is None:  # no longer served
            return
        accounts = await self.repository.managing_accounts(transaction, about)
        change = uuid4()
        occurrences = []
        for one in accounts:
            event = (CommunityMemberJoined if joined else CommunityMemberLeft)(
                crown_id=str(about.token_id),
                symbol=one.symbol,
                chain=chain.caip2,
                wallet_address=checksum_address(about.wallet),
                timestamp=timestamp(self.clock.now()),
            )
            key = unique_key(event, one.account_id, change=change)
            occurrences.append(Occurrence(event, key, one.symbol, about.chain_id, about.token_id, one.account_id))
        await record(transaction, *occurrences)


def _key(registration: RegistrationRecord) -> dict[str, int]:
    return {"chain_id": registration.chain_id, "token_id": registration.token_id}


def _wire(row: SubscriptionRecord | ListedSubscription, symbol: str | None) -> Subscription:
    return Subscription(
        chain_id=row.chain_id,
        token_id=row.token_id,
        symbol=symbol,
        wallet=checksum_address(row.wallet),
        channels=list(row.channels),
        subscribed_at=timestamp(row.created_at),
    )
