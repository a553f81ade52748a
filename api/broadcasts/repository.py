"""Broadcasts in the store, as their pages see them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from api.broadcasts.groups import HolderGroup, groups_of
from warehouse.store import Store, Transaction

MAX_RECIPIENTS: Final = 50_000
LARGE: Final = 500
_WINDOW: Final = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class Page:
    """A registration whose page sends."""

    chain_id: int
    token_id: int
    symbol: str
    owner: str
    managers: Sequence[str]
    token_address: str
    transaction_hash: str
    minted_at: datetime
    is_active: bool

    @property
    def key(self) -> dict[str, int]:
        """Parameters that name the registration."""
        return {"chain_id": self.chain_id, "token_id": self.token_id}

    @property
    def token_key(self) -> dict[str, Any]:
        """Parameters that name the registration and its token."""
        return {**self.key, "token_address": self.token_address}

    def may_send(self, wallet: str) -> bool:
        """Whether a wallet may send to the subscribers."""
        return self.is_active and (wallet == self.owner or wallet in self.managers)


@dataclass(frozen=True, slots=True)
class Subscriber:
    """An account that a broadcast can reach."""

    id: UUID
    account_id: UUID
    wallet: str


@dataclass(frozen=True, slots=True)
class Sends:
    """When a page's broadcasts are due, and whether a large one was approved or sent."""

    times: Sequence[datetime]
    was_reviewed: bool


@dataclass(frozen=True, slots=True)
class AcceptedBroadcast:
    """A broadcast as the request that made it sees it."""

    id: UUID
    request_hash: bytes
    status: str
    expected: int
    due_at: datetime
    created_at: datetime


@dataclass(frozen=True, slots=True)
class ListedBroadcast:
    """A broadcast in its page's list."""

    id: UUID
    kind: str
    title: str
    status: str
    status_reason: str | None
    channels: Sequence[str]
    segments: Sequence[str]
    holder_groups: Sequence[Mapping[str, Any]]
    holdout_percent: int
    expected: int
    recipients: int | None
    as_of_block: int | None
    created_at: datetime
    due_at: datetime
    sent_at: datetime | None
    inbox_entries: int
    inbox_read: int
    held_out: int
    deliveries: Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class ResultRecord:
    """What became of a broadcast for one recipient over one channel."""

    position: int
    wallet: str
    held_out: bool
    channel: str | None
    status: str | None
    problem: str | None


@dataclass(frozen=True, slots=True)
class BroadcastRepository:
    """See the module."""

    store: Store

    async def named(self, token_id: int, chain_id: int | None) -> list[Page]:
        """The registrations with an id."""
        return await self.store.rows("broadcasts/list_named", {"token_id": token_id, "chain_id": chain_id}, Page)

    async def lock(self, transaction: Transaction, page: Page) -> Page | None:
        """The registration as it is now, locked until the transaction ends."""
        return await transaction.row("broadcasts/lock_page", page.key, Page)

    async def groups(self, page: Page) -> dict[str, HolderGroup]:
        """The holder groups that the page's document declares."""
        row = await self.store.row("broadcasts/find_tiers", page.key)
        return groups_of(row["tiers"], row["decimals"]) if row else {}

    async def plan_of(self, wallet: str, transaction: Transaction | None = None) -> str:
        """The plan of a wallet's account; free without one."""
        row = await (transaction or self.store).row("broadcasts/plan_of_wallet", {"wallet": wallet})
        return str(row["plan"]) if row else "free"

    async def sends(self, page: Page, now: datetime, transaction: Transaction | None = None) -> Sends:
        """When the page's broadcasts are due, those of the last week and to come."""
        parameters = {**page.token_key, "since": now - _WINDOW, "large": LARGE}
        found = await (transaction or self.store).row("broadcasts/list_sends", parameters, Sends)
        assert found is not None  # noqa: S101 - aggregates are one row
        return found

    async def subscribers(self, page: Page, channels: Sequence[str]) -> list[Subscriber]:
        """Accounts that are reached over one of the channels."""
        parameters = {**page.token_key, "channels": list(channels)}
        return await self.store.rows("broadcasts/list_subscribers", parameters, Subscriber)

    async def count_subscribers(self, page: Page, channels: Sequence[str]) -> tuple[int, Mapping[str, int]]:
        """How many accounts are reached, over any channel and over each."""
        row = await self.store.row("broadcasts/count_subscribers", {**page.token_key, "channels": list(channels)})
        assert row is not None  # noqa: S101 - aggregates are one row
        return int(row["accounts"]), row["by_channel"]

    async def listed(
        self, page: Page, *, before: UUID | None = None, id: UUID | None = None, limit: int
    ) -> list[ListedBroadcast]:
        """Broadcasts of a page, newest first."""
        parameters = {**page.token_key, "before": before, "id": id, "limit": limit}
        return await self.store.rows("broadcasts/list", parameters, ListedBroadcast)

    async def results(self, id: UUID, after: int, through: int) -> list[ResultRecord]:
        """What became of a broadcast for some recipients."""
        parameters = {"id": id, "after": after, "through": through}
        return await self.store.rows("broadcasts/list_results", parameters, ResultRecord)
