"""The queue of webhook deliveries in the store.

Every step is one transaction and safe to repeat:

    fan_out   makes the deliveries of an event and marks the event. Events are found by their missing mark, so one whose
              transaction commits late is found late, and none is missed.
    claim     leases a due delivery by moving its due time to the end of the lease. Two workers never lease the same
              one, and what a dead worker had becomes due again by itself.
    record    counts an attempt only while its lease holds: written down twice, or after another worker took over, it
              changes nothing.
"""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from api.http.rendering import dumps
from api.security.callers import satisfies
from api.store.events import record
from api.webhooks.outcomes import settle
from api.webhooks.records import Claimed, Endpoint, FailingSubscription, HttpAttempt, columns
from warehouse.delivery.channel import Result
from warehouse.domain.events.catalogue import EVENTS
from warehouse.domain.events.event import Audience, Occurrence, unique_key
from warehouse.domain.events.service import WebhookDisabled
from warehouse.domain.plans import PLANS
from warehouse.store import Store, Transaction

MIN_PLAN: Final = "developer"
TOPIC: Final = "webhooks"
"""The topic on which workers are notified of new events."""
PRIVATE_TYPES: Final = [event.type for event in EVENTS.values() if event.audience is Audience.ACCOUNT]

_PLANS = [plan for plan in PLANS if satisfies(plan, MIN_PLAN)]
_MAX_EVENTS = 500
_MAX_DELIVERIES = 20_000
"""Deliveries made in one transaction: public events times subscriptions can be many."""
_BEFORE_ALL = UUID(int=0)


class WebhookQueue:
    """See the module."""

    def __init__(self, store: Store) -> None:
        self.store = store

    async def fan_out(self, now: datetime) -> tuple[int, int]:
        """Make the deliveries of some events that have none yet; how many events, and how many deliveries."""
        async with self.store.transaction() as transaction:
            counted = await transaction.row("webhooks/count_active")
            active = counted["subscriptions"] if counted else 0
            events = max(1, min(_MAX_EVENTS, _MAX_DELIVERIES // max(active, 1)))
            parameters = {"events": events, "now": now, "plans": _PLANS, "private_types": PRIVATE_TYPES}
            row = await transaction.row("webhooks/fan_out", parameters)
            return (row["events"], row["deliveries"]) if row else (0, 0)

    async def ready(
        self, now: datetime, *, after: UUID | None, saturated: Sequence[UUID], receivers: int
    ) -> list[Endpoint]:
        """Some receivers for whom something is due, by ascending id beyond ``after``."""
        parameters = {
            "now": now,
            "after": after or _BEFORE_ALL,
            "saturated": list(saturated),
            "receivers": receivers,
            "plans": _PLANS,
        }
        return await self.store.rows("webhooks/list_ready", parameters, Endpoint)

    async def claim(
        self, wanted: Sequence[tuple[Endpoint, int]], *, lease: UUID, now: datetime, lease_end: datetime
    ) -> list[Claimed]:
        """Lease what is due: for each receiver at most as many deliveries as given with it."""
        parameters = {
            "ids": [endpoint.id for endpoint, _ in wanted],
            "caps": [cap for _, cap in wanted],
            "only_tests": [endpoint.only_tests for endpoint, _ in wanted],
            "now": now,
            "lease": lease,
            "lease_end": lease_end,
        }
        async with self.store.transaction() as transaction:
            return await transaction.rows("webhooks/claim", parameters, Claimed)

    async def record(self, results: Sequence[Result[Claimed, HttpAttempt]]) -> int:
        """Write attempts down with all that follows from them; how many counted."""
        rows = dumps([_row(result) for result in results]).decode()
        async with self.store.transaction() as transaction:
            found = await transaction.rows("webhooks/record", {"results": rows})
            counted = {row["delivery_id"] for row in found}
            await self._settle(transaction, [result for result in results if result.delivery.id in counted])
        return len(counted)

    async def _settle(self, transaction: Transaction, results: Sequence[Result[Claimed, HttpAttempt]]) -> None:
        """Update the health of subscriptions whose deliveries ended. Tests do not count."""
        endings: dict[UUID, list[tuple[str, int | None]]] = defaultdict(list)
        for result in sorted(results, key=lambda result: result.ended_at):
            if result.verdict.status != "pending" and result.delivery.cause != "test":
                endings[result.delivery.receiver_id].append((result.verdict.status, result.attempt.status))
        failing = {id for id, ended in endings.items() if any(status != "delivered" for status, _ in ended)}
        healthy = sorted(set(endings) - failing)
        if healthy:
            await transaction.execute("webhooks/clear_failures", {"ids": healthy})
        if not failing:
            return
        now = max(result.ended_at for result in results)
        locked = await transaction.rows("webhooks/lock_failing", {"ids": sorted(failing)}, FailingSubscription)
        for subscription in locked:
            if subscription.status == "active":
                await _save_health(transaction, subscription, endings[subscription.id], now)


async def _save_health(
    transaction: Transaction, subscription: FailingSubscription, endings: list[tuple[str, int | None]], now: datetime
) -> None:
    health = settle(subscription.consecutive_failures, endings)
    reason = health.disabled_reason
    parameters = {"id": subscription.id, "failures": health.consecutive_failures, "reason": reason, "now": now}
    await transaction.execute("webhooks/save_health", parameters)
    if reason is None:
        return
    # The event is recorded in the transaction that disables, once for each time.
    event = WebhookDisabled(
        webhook_id=str(subscription.id),
        url=subscription.url,
        reason=reason,
        consecutive_failures=health.consecutive_failures,
    )
    key = unique_key(event, disabled_at=now.isoformat())
    await record(transaction, Occurrence(event, key, event.webhook_id, account_id=subscription.account_id))


def _row(result: Result[Claimed, HttpAttempt]) -> dict[str, Any]:
    over = result.verdict.status != "pending"
    return {
        **columns(result.attempt),
        "delivery_id": result.delivery.id,
        "lease": result.delivery.lease,
        "verdict": result.verdict.status,
        "due_at": result.verdict.due_at,
        "finished_at": result.ended_at if over else None,
    }
