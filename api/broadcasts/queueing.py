"""Making the deliveries of broadcasts that are due.

Each step is one transaction that takes the broadcast's row as the step found it, so two workers never make the same
step, and what a killed one began is rolled back and begun again:

    choose      looks at role and registration again, and writes all recipients down with their order
    deliver     inbox entries and deliveries of the next 10,000 recipients, as they opted in now; ``queued_through``
                moves in the same statement

The audience is read before the transaction of ``choose``: the warehouse may take its time.
"""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from api.broadcasts.audience import Audience, Chosen, Wanted, is_held_out
from api.broadcasts.groups import HolderGroup
from api.broadcasts.repository import BroadcastRepository, Page
from api.broadcasts.segments import Segment
from api.vendors.messages import WITH_ROOMS, Channel, Vendor
from warehouse.errors import WarehouseError
from warehouse.store import Transaction

LOG = logging.getLogger(__name__)
BATCH: Final = 10_000
_LATER: Final = timedelta(seconds=30)
"""A broadcast whose audience cannot be read now is looked at again after so long."""


@dataclass(frozen=True, slots=True)
class DueBroadcast:
    """A broadcast that is due."""

    id: UUID
    chain_id: int
    token_id: int
    token_address: str
    wallet: str
    channels: Sequence[str]
    segments: Sequence[str]
    holder_groups: Sequence[Mapping[str, Any]]
    holdout_percent: int
    status: str
    queued_through: int
    is_reviewed: bool

    @property
    def key(self) -> dict[str, int]:
        """Parameters that name the registration."""
        return {"chain_id": self.chain_id, "token_id": self.token_id}

    @property
    def wanted(self) -> Wanted:
        """Whom it is for."""
        return Wanted(
            self.channels,
            [Segment(one) for one in self.segments],
            [HolderGroup.of_stored(one) for one in self.holder_groups],
        )


@dataclass(frozen=True, slots=True)
class Queueing:
    """See the module.

    Args:
        review_above: a page's first broadcast to more recipients waits for the operator.
    """

    repository: BroadcastRepository
    audience: Audience
    vendors: Mapping[Channel, Vendor]
    review_above: int
    batch: int = BATCH

    async def step(self, now: datetime) -> tuple[int, int]:
        """Make one step of one broadcast; how many steps, and how many deliveries."""
        store = self.repository.store
        due = await store.row("broadcasts/find_next", {"now": now}, DueBroadcast)
        if due is None:
            return 0, 0
        chosen = None
        if due.status == "queued":
            try:
                chosen = await self._audience_of(due, now)
            except WarehouseError as error:
                LOG.warning("broadcast %s waits: its audience cannot be read: %s", due.id, error)
                async with store.transaction() as transaction:
                    await transaction.execute("broadcasts/postpone", {"id": due.id, "at": now + _LATER})
                return 1, 0
        async with store.transaction() as transaction:
            as_found = {"id": due.id, "status": due.status, "queued_through": due.queued_through}
            if await transaction.row("broadcasts/take", as_found) is None:
                return 1, 0
            if chosen is None:
                return 1, await self._deliver(transaction, due, now)
            await self._choose(transaction, due, chosen, now)
            return 1, 0

    async def _audience_of(self, due: DueBroadcast, now: datetime) -> Chosen:
        pages = await self.repository.named(due.token_id, due.chain_id)
        if not pages or pages[0].token_address != due.token_address:
            return Chosen([], None)
        return await self.audience.choose(pages[0], due.wanted, now)

    async def _choose(self, transaction: Transaction, due: DueBroadcast, chosen: Chosen, now: datetime) -> None:
        page = await transaction.row("broadcasts/lock_page", due.key, Page)
        if page is None or page.token_address != due.token_address or not page.may_send(due.wallet):
            await self._end(transaction, due, "cancelled", "the sender is no longer owner or manager")
            return
        if len(chosen.recipients) > self.review_above and not due.is_reviewed:
            sends = await self.repository.sends(page, now, transaction)
            if not sends.was_reviewed:
                await self._end(transaction, due, "review", None)
                return
        subscribers = [one for one, _ in chosen.recipients]
        await transaction.execute(
            "broadcasts/insert_recipients",
            {
                "id": due.id,
                "account_ids": [one.account_id for one in subscribers],
                "subscription_ids": [one.id for one in subscribers],
                "wallets": [one.wallet for one in subscribers],
                "balances": [balance for _, balance in chosen.recipients],
                "held_out": [is_held_out(due.id, one.account_id, due.holdout_percent) for one in subscribers],
            },
        )
        await transaction.execute(
            "broadcasts/start",
            {
                "id": due.id,
                "recipients": len(subscribers),
                "as_of_block": chosen.as_of_block,
                "symbol": page.symbol,
                "now": now,
            },
        )
        if not due.segments and not due.holder_groups:
            rooms = [channel for channel in WITH_ROOMS if channel in due.channels and channel in self.vendors]
            await transaction.execute(
                "broadcasts/insert_rooms", {"id": due.id, **page.token_key, "channels": rooms, "now": now}
            )

    async def _deliver(self, transaction: Transaction, due: DueBroadcast, now: datetime) -> int:
        configured = [channel for channel in due.channels if channel in self.vendors]
        made = await transaction.row(
            "broadcasts/make_deliveries",
            {
                "id": due.id,
                "token_address": due.token_address,
                "after": due.queued_through,
                "through": due.queued_through + self.batch,
                "channels": configured,
                "now": now,
            },
        )
        return int(made["made"]) if made else 0

    async def _end(self, transaction: Transaction, due: DueBroadcast, status: str, reason: str | None) -> None:
        await transaction.execute("broadcasts/end", {"id": due.id, "status": status, "reason": reason})
