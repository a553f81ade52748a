"""Subscriptions in the store, and what the warehouse says of who held a token."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from api.warehouse import WarehouseReader
from warehouse import sql
from warehouse.domain.addresses import digits_of
from warehouse.store import Store, Transaction


@dataclass(frozen=True, slots=True)
class SubscriptionRecord:
    """An account that joined a page with one of its wallets.

    Args:
        channels: what it opted in to.
        joined: whether the account was not subscribed before the statement that returned it.
    """

    id: UUID
    chain_id: int
    token_id: int
    token_address: str
    account_id: UUID
    wallet: str
    channels: Sequence[str]
    created_at: datetime
    joined: bool = False


@dataclass(frozen=True, slots=True)
class ListedSubscription:
    """A subscription in its account's list. ``symbol``: None once the registration has ended."""

    id: UUID
    chain_id: int
    token_id: int
    wallet: str
    channels: Sequence[str]
    created_at: datetime
    symbol: str | None


@dataclass(frozen=True, slots=True)
class ManagingAccount:
    """An account with a wallet that owns or manages a registration."""

    account_id: UUID
    symbol: str


@dataclass(frozen=True, slots=True)
class SubscriptionRepository:
    """See the module."""

    store: Store

    async def find(self, account_id: UUID, key: Mapping[str, int]) -> SubscriptionRecord | None:
        """The account's subscription to a page."""
        return await self.store.row("subscriptions/find", {"account_id": account_id, **key}, SubscriptionRecord)

    async def listed(self, account_id: UUID, before: UUID | None, limit: int) -> list[ListedSubscription]:
        """Some of the account's subscriptions, newest first."""
        parameters = {"account_id": account_id, "before": before, "limit": limit}
        return await self.store.rows("subscriptions/list", parameters, ListedSubscription)

    async def save(self, transaction: Transaction, parameters: Mapping[str, Any]) -> SubscriptionRecord:
        """Join a page, or change the subscription."""
        saved = await transaction.row("subscriptions/save", parameters, SubscriptionRecord)
        assert saved is not None  # noqa: S101 - an upsert returns its row
        return saved

    async def remove(
        self, transaction: Transaction, account_id: UUID, key: Mapping[str, int]
    ) -> SubscriptionRecord | None:
        """Leave a page; what there was."""
        return await transaction.row("subscriptions/remove", {"account_id": account_id, **key}, SubscriptionRecord)

    async def lock(self, transaction: Transaction, id: UUID) -> SubscriptionRecord | None:
        """A subscription, locked to be changed."""
        return await transaction.row("subscriptions/lock_by_id", {"id": id}, SubscriptionRecord)

    async def managing_accounts(self, transaction: Transaction, left: SubscriptionRecord) -> list[ManagingAccount]:
        """Who hears that somebody joined or left: the accounts of the page's owner and managers."""
        parameters = {"chain_id": left.chain_id, "token_id": left.token_id, "token_address": left.token_address}
        return await transaction.rows("subscriptions/list_managing_accounts", parameters, ManagingAccount)


async def has_held(warehouse: WarehouseReader, chain_id: int, token: str, wallet: str) -> bool:
    """Whether a wallet holds a token or held it at the end of a day, as of the last published block.

    Raises:
        WarehouseUnavailable: nobody can say now.
    """
    parameters = {"chain_id": chain_id, "token": digits_of(token), "wallet": digits_of(wallet)}
    return bool(await warehouse.scalar(sql.load("queries/holdings/has_held"), parameters))
