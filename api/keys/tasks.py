"""Announces keys that expire, and forgets secrets that were kept for repeated requests."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from procrastinate import JobContext

from api.http.idempotency import KEPT
from api.http.times import timestamp as iso
from api.services import Services
from api.store import audit
from api.store.audit import SERVICE, Action
from api.store.jobs import TASKS, services_of_job
from warehouse.domain.events.security import KeyExpired, KeyExpiring

_BATCH: Final = 500


@dataclass(frozen=True, slots=True)
class EndingKey:
    """A key whose account is to hear of its expiry. ``expired``: it has come."""

    id: UUID
    account_id: UUID
    name: str
    prefix: str
    expires_at: datetime
    expired: bool


@TASKS.periodic(cron="*/5 * * * *")
@TASKS.task(name="upkeep.keys", pass_context=True, queueing_lock="upkeep.keys")
async def keep_periodically(context: JobContext, timestamp: int) -> None:
    """Every five minutes; see the module."""
    services = services_of_job(context)
    await announce(services)
    await forget_requests(services)


async def announce(services: Services) -> int:
    """Record ``key.expiring`` and ``key.expired`` where they are due; returns how many. Safe to repeat, and to run in
    several workers at once."""
    announced = 0
    while found := await _announce_some(services):
        announced += found
    return announced


async def _announce_some(services: Services) -> int:
    now, warning = services.clock.now(), timedelta(days=services.settings.api_key_warning_days)
    async with services.store.transaction() as transaction:
        parameters = {"now": now, "warning": warning, "at_once": _BATCH}
        due = await transaction.rows("keys/lease_ending", parameters, EndingKey)
        await audit.record(transaction, *(_action(key, now) for key in due))
    return len(due)


def _action(key: EndingKey, now: datetime) -> Action:
    kind = KeyExpired if key.expired else KeyExpiring
    event = kind(
        **SERVICE.members, key_id=str(key.id), name=key.name, prefix=key.prefix, expires_at=iso(key.expires_at)
    )
    return Action(key.account_id, SERVICE, event, now, key.id)


async def forget_requests(services: Services) -> None:
    """Forget Idempotency-Keys of yesterday, and the encrypted secrets with them."""
    async with services.store.transaction() as transaction:
        await transaction.execute("keys/forget_requests", {"before": services.clock.now() - KEPT})
