"""Subscriptions and deliveries in the store, as their owners see them. Every statement names the account."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from api.webhooks.queue import PRIVATE_TYPES, TOPIC
from api.webhooks.records import AttemptRow, DeliveryRow, DeliveryWithData, EventCount, LoggedEvent, Subscription
from api.webhooks.rules import Wanted
from warehouse.domain.events.event import Event
from warehouse.store import Store, Transaction

_NOTIFY: Final = "SELECT pg_notify(%(topic)s, '')"
_PREVIEW_SECONDS: Final = 8.0
_MAX_SECRETS: Final = 5


@dataclass(frozen=True, slots=True)
class DeliveryFilter:
    """Which deliveries of a subscription a page holds. ``before``: the id that the page before ended with."""

    before: UUID | None = None
    status: str | None = None
    type: str | None = None
    begin: datetime | None = None
    end: datetime | None = None


@dataclass(frozen=True, slots=True)
class Replay:
    """Which events are sent again. ``events`` null: all types that the subscription is for."""

    begin: datetime
    end: datetime
    events: Sequence[str] | None
    undelivered: bool
    most: int


class WebhookRepository:
    """See the module."""

    def __init__(self, store: Store) -> None:
        self.store = store

    async def of_account(self, account_id: UUID, now: datetime) -> list[Subscription]:
        """The account's subscriptions, oldest first."""
        parameters = {"account_id": account_id, "id": None, "now": now}
        return await self.store.rows("webhooks/list_subscriptions", parameters, Subscription)

    async def find(self, account_id: UUID, id: UUID, now: datetime) -> Subscription | None:
        """One of the account's subscriptions."""
        parameters = {"account_id": account_id, "id": id, "now": now}
        return await self.store.row("webhooks/list_subscriptions", parameters, Subscription)

    async def lock_account(self, transaction: Transaction, account_id: UUID) -> int:
        """Let one request after another add subscriptions to an account; how many it has."""
        await transaction.execute("webhooks/lock_account", {"account_id": account_id})
        row = await transaction.row("webhooks/count_subscriptions", {"account_id": account_id})
        return int(row["n"]) if row else 0

    async def lock(self, transaction: Transaction, account_id: UUID, id: UUID) -> Subscription | None:
        """One of the account's subscriptions, locked to be changed."""
        parameters = {"account_id": account_id, "id": id}
        return await transaction.row("webhooks/lock_subscription", parameters, Subscription)

    async def made_with(self, transaction: Transaction, account_id: UUID, key: str) -> Subscription | None:
        """The subscription that was made under an idempotency key."""
        parameters = {"account_id": account_id, "key": key}
        return await transaction.row("webhooks/subscription_by_key", parameters, Subscription)

    async def forget_key(self, transaction: Transaction, id: UUID) -> None:
        """Let the subscription's idempotency key be used for another one."""
        await transaction.execute("webhooks/forget_key", {"id": id})

    async def insert(
        self, transaction: Transaction, account_id: UUID, url: str, wanted: Wanted, key: str | None
    ) -> Subscription:
        """A new subscription, still without a secret."""
        parameters = {"account_id": account_id, "url": url, "key": key, **asdict(wanted)}
        return (await transaction.rows("webhooks/insert_subscription", parameters, Subscription))[0]

    async def update(self, transaction: Transaction, changed: Subscription) -> None:
        """Write a changed subscription, which is locked."""
        await transaction.execute("webhooks/update_subscription", asdict(changed))

    async def delete(self, account_id: UUID, id: UUID) -> bool:
        """Delete a subscription; whether there was one. Its history is removed later."""
        async with self.store.transaction() as transaction:
            parameters = {"account_id": account_id, "id": id}
            return await transaction.execute("webhooks/delete_subscription", parameters) > 0

    async def secret(self, transaction: Transaction, id: UUID) -> bytes | None:
        """The current secret, sealed."""
        row = await transaction.row("webhooks/current_secret", {"id": id})
        return bytes(row["sealed"]) if row else None

    async def add_secret(
        self, transaction: Transaction, id: UUID, sealed: bytes, *, now: datetime, others_end_at: datetime
    ) -> None:
        """A new current secret; the one before ends at ``others_end_at``."""
        await transaction.execute("webhooks/end_secrets", {"id": id, "ends_at": others_end_at})
        await transaction.execute("webhooks/insert_secret", {"id": id, "sealed": sealed})
        parameters = {"id": id, "now": now, "kept": _MAX_SECRETS}
        await transaction.execute("webhooks/drop_secrets", parameters)

    async def deliveries(self, id: UUID, wanted: DeliveryFilter, limit: int) -> list[DeliveryRow]:
        """Deliveries of a subscription, newest first."""
        parameters = {"id": id, "limit": limit, **asdict(wanted)}
        return await self.store.rows("webhooks/list_deliveries", parameters, DeliveryRow)

    async def delivery(self, id: UUID, delivery_id: UUID) -> DeliveryWithData | None:
        """A delivery with its data."""
        parameters = {"id": id, "delivery_id": delivery_id}
        return await self.store.row("webhooks/delivery", parameters, DeliveryWithData)

    async def attempts(self, delivery_id: UUID) -> list[AttemptRow]:
        """The attempts of a delivery, in order."""
        parameters = {"delivery_id": delivery_id}
        return await self.store.rows("webhooks/list_attempts", parameters, AttemptRow)

    async def add_test(self, id: UUID, event: Event, now: datetime) -> DeliveryRow:
        """Queue a test event."""
        async with self.store.transaction() as transaction:
            parameters = {"id": id, "type": event.type, "payload": event.data().decode(), "now": now}
            rows = await transaction.rows("webhooks/insert_test", parameters, DeliveryRow)
            await transaction.execute(_NOTIFY, {"topic": TOPIC})
            return rows[0]

    async def replay(self, id: UUID, delivery_id: UUID, event_id: UUID, now: datetime) -> DeliveryRow:
        """Queue a delivery's event again, unless it is queued already; the delivery that waits."""
        async with self.store.transaction() as transaction:
            parameters = {"delivery_id": delivery_id, "now": now}
            await transaction.execute("webhooks/replay_delivery", parameters)
            await transaction.execute(_NOTIFY, {"topic": TOPIC})
            parameters = {"id": id, "event_id": event_id}
            return (await transaction.rows("webhooks/waiting_replay", parameters, DeliveryRow))[0]

    async def replay_events(self, transaction: Transaction, id: UUID, wanted: Replay, now: datetime) -> int:
        """Queue events that the subscription is for; how many."""
        parameters: dict[str, Any] = {"id": id, "now": now, "private_types": PRIVATE_TYPES, **asdict(wanted)}
        queued = await transaction.execute("webhooks/replay_events", parameters)
        await transaction.execute(_NOTIFY, {"topic": TOPIC})
        return queued

    async def preview(
        self, account_id: UUID, wanted: Wanted, *, end: datetime, span: timedelta, most: int, latest: int
    ) -> tuple[list[EventCount], list[LoggedEvent]]:
        """How many events of each type a subscription would have received, counted up to ``most``; the newest."""
        parameters = {
            "account_id": account_id,
            "begin": end - span,
            "end": end,
            "most": most,
            "latest": latest,
            "private_types": PRIVATE_TYPES,
            **asdict(wanted),
        }
        counts, newest = "webhooks/preview_counts", "webhooks/preview_latest"
        return (
            await self.store.rows(counts, parameters, EventCount, timeout_seconds=_PREVIEW_SECONDS),
            await self.store.rows(newest, parameters, LoggedEvent, timeout_seconds=_PREVIEW_SECONDS),
        )
