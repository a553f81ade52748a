"""Sending messages to people over vendors' channels: the queue and the channel of the delivery engine.

Broadcasts and alerts are sent with it, each from a table of its own; all share the rates. Each channel is a receiver
of the engine. A delivery is leased by moving its due time, so what a killed worker had becomes due again; a vendor may
then get it twice, under the same id.
"""

import logging
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final, Protocol
from uuid import NAMESPACE_URL, UUID, uuid5

from api.http.rendering import dumps
from api.security.sealing import Sealer, Unsealable
from api.services import Services
from api.subscriptions.leaving import LeaveLinks
from api.vendors.messages import Channel, Message, Outcome, Vendor
from warehouse.delivery.channel import Attempt, Result
from warehouse.delivery.engine import DeliveryEngine, Terms
from warehouse.delivery.retries import RetrySchedule
from warehouse.domain.addresses import checksum_address
from warehouse.store import Store

LOG = logging.getLogger(__name__)
RETRIES: Final = RetrySchedule(
    (timedelta(minutes=1), timedelta(minutes=5), timedelta(minutes=30), timedelta(hours=2)), jitter=0.1
)
LIMIT_SECONDS: Final = 30.0
LEASE_SECONDS: Final = 120.0
_UNREADABLE: Final = Outcome("unreadable", "the address cannot be decrypted", final=True)


@dataclass(frozen=True, slots=True)
class ChannelReceiver:
    """A channel, as the engine's receiver."""

    channel: Channel

    @property
    def id(self) -> UUID:
        """The same in every process."""
        return uuid5(NAMESPACE_URL, f"channel:{self.channel}")


@dataclass(frozen=True, slots=True)
class LeasedDelivery:
    """A delivery leased to this worker; with a ``refusal`` nothing is sent. ``is_room``: the post in a public room.
    ``why``: why the recipient gets it, unless that follows from the subscription."""

    id: UUID
    channel: str
    attempts: int
    lease: UUID | None
    title: str
    body: str
    link_url: str | None
    symbol: str | None
    subscription_id: UUID | None
    wallet: str | None
    address_id: UUID | None
    sealed: bytes | None
    is_room: bool
    refusal: str | None
    why: str | None = None
    retried: bool = True

    @property
    def receiver_id(self) -> UUID:
        """Its channel."""
        return ChannelReceiver(Channel(self.channel)).id


@dataclass(frozen=True, slots=True, kw_only=True)
class VendorAttempt(Attempt):
    """An attempt. ``gone_id``: the contact that takes no more messages."""

    gone_id: UUID | None = None


class FanOut(Protocol):
    """Makes deliveries of messages that are due."""

    async def step(self, now: datetime) -> tuple[int, int]:
        """Make some; how many steps, and how many deliveries."""
        ...


@dataclass(frozen=True, slots=True)
class Statements:
    """The names of the statements on a table of deliveries."""

    list_ready: str
    claim: str
    record: str


@dataclass(frozen=True, slots=True)
class VendorQueue:
    """Deliveries in the store. All workers together keep to the rates.

    Args:
        making: makes deliveries; None: they are there already.
        rates: messages a second over each channel, for all queues together.
    """

    store: Store
    statements: Statements
    making: FanOut | None
    channels: Sequence[Channel]
    rates: Mapping[str, float]

    async def fan_out(self, now: datetime) -> tuple[int, int]:
        """Make some deliveries of what is due."""
        return (0, 0) if self.making is None else await self.making.step(now)

    async def ready(
        self, now: datetime, *, after: UUID | None, saturated: Sequence[UUID], receivers: int
    ) -> list[ChannelReceiver]:
        """Channels over which something is due."""
        wanted = [channel for channel in self.channels if ChannelReceiver(channel).id not in saturated]
        rows = await self.store.rows(self.statements.list_ready, {"channels": wanted, "now": now})
        found = sorted((ChannelReceiver(Channel(row["channel"])) for row in rows), key=lambda one: one.id)
        return [one for one in found if after is None or one.id > after][:receivers]

    async def claim(
        self, wanted: Sequence[tuple[ChannelReceiver, int]], *, lease: UUID, now: datetime, lease_end: datetime
    ) -> list[LeasedDelivery]:
        """Lease what is due, as far as the channels' rates allow; what nobody wants any more is skipped."""
        caps = {str(receiver.channel): cap for receiver, cap in wanted}
        async with self.store.transaction() as transaction:
            rows = await transaction.rows("broadcasts/lock_rates", {"channels": list(caps)})
            tokens = {row["channel"]: self._tokens(row, now) for row in rows}
            parameters = {
                "channels": list(tokens),
                "caps": [min(caps[channel], int(tokens[channel])) for channel in tokens],
                "now": now,
                "lease": lease,
                "lease_end": lease_end,
            }
            found = await transaction.rows(self.statements.claim, parameters, LeasedDelivery)
            claimed = [one for one in found if one.refusal is None]
            for one in claimed:
                tokens[one.channel] -= 1
            await transaction.execute(
                "broadcasts/save_rates",
                {"channels": list(tokens), "tokens": list(tokens.values()), "now": now},
            )
        return claimed

    async def record(self, results: Sequence[Result[LeasedDelivery, VendorAttempt]]) -> int:
        """Write results down while their leases hold."""
        rows = dumps([_row(result) for result in results]).decode()
        now = max(result.ended_at for result in results)
        async with self.store.transaction() as transaction:
            row = await transaction.row(self.statements.record, {"results": rows, "now": now})
        return int(row["counted"]) if row else 0

    def _tokens(self, row: Mapping[str, Any], now: datetime) -> float:
        """What may be sent now: it refills at the rate, up to one second's worth."""
        rate = self.rates.get(row["channel"], 1.0)
        kept: float = row["tokens"]
        elapsed: float = max((now - row["counted_at"]).total_seconds(), 0.0)
        return min(kept + elapsed * rate, max(rate, 1.0))


def _row(result: Result[LeasedDelivery, VendorAttempt]) -> dict[str, Any]:
    over = result.verdict.status != "pending"
    return {
        "delivery_id": result.delivery.id,
        "lease": result.delivery.lease,
        "verdict": result.verdict.status,
        "due_at": result.verdict.due_at,
        "finished_at": result.ended_at if over else None,
        "problem": result.attempt.problem,
        "gone_id": result.attempt.gone_id,
    }


@dataclass(frozen=True, slots=True)
class VendorChannel:
    """Sends deliveries over their channel's vendor."""

    vendors: Mapping[Channel, Vendor]
    sealer: Sealer
    links: LeaveLinks

    async def send(self, receiver: ChannelReceiver, delivery: LeasedDelivery, started_at: datetime) -> VendorAttempt:
        """Make one attempt."""
        began = time.perf_counter()
        outcome = await self._send(receiver.channel, delivery)
        gone = outcome.gone and not delivery.is_room
        return VendorAttempt(
            started_at=started_at,
            total_seconds=time.perf_counter() - began,
            failure=outcome.failure,
            problem=outcome.problem,
            final=outcome.final,
            gone_id=delivery.address_id if gone else None,
        )

    async def _send(self, channel: Channel, delivery: LeasedDelivery) -> Outcome:
        if delivery.sealed is None:
            return _UNREADABLE
        try:
            address = self.sealer.unseal(bytes(delivery.sealed), str(delivery.address_id)).decode()
        except Unsealable as error:
            LOG.error("delivery %s is not sent: its address is %s", delivery.id, error)
            return _UNREADABLE
        return await self.vendors[channel].send(address, self._message(channel, delivery))

    def _message(self, channel: Channel, delivery: LeasedDelivery) -> Message:
        leave_url, why = None, delivery.why
        if delivery.subscription_id is not None and delivery.wallet is not None:
            leave_url = self.links.url(delivery.subscription_id, channel)
            why = f"Sent to {checksum_address(delivery.wallet)}, which subscribed to {delivery.symbol}."
        return Message(
            id=delivery.id,
            title=delivery.title,
            text=delivery.body,
            link=delivery.link_url,
            leave_url=leave_url,
            why=why,
        )


VendorEngine = DeliveryEngine[ChannelReceiver, LeasedDelivery, VendorAttempt]


def vendor_engine(name: str, services: Services, statements: Statements, making: FanOut | None = None) -> VendorEngine:
    """An engine that sends the deliveries of a table.

    Args:
        name: for logs and names of tasks.
        making: makes deliveries; None: they are there already.
    """
    settings, vendors = services.settings, services.vendors
    queue = VendorQueue(services.store, statements, making, list(vendors), settings.broadcast_rates)
    channel = VendorChannel(vendors, services.sealer, LeaveLinks(services.sealer, settings.public_url))
    terms = Terms(name=name, schedule=RETRIES, limit_seconds=LIMIT_SECONDS, lease_seconds=LEASE_SECONDS)
    return DeliveryEngine(queue, channel, terms, services.clock.now)
