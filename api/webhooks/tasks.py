"""Upkeep of the webhooks' tables: what is older than 30 days goes, a few thousand rows at a time."""

from datetime import timedelta
from typing import Final

from procrastinate import JobContext

from api.services import Services
from api.store.jobs import TASKS, services_of_job

KEPT: Final = timedelta(days=30)
_AT_ONCE: Final = 5_000

# Deliveries that ended, and those that have waited as long for a subscription that is not active. Their attempts go
# with them.
_OLD_DELIVERIES = """
DELETE FROM webhook_delivery WHERE id IN (
    (SELECT id FROM webhook_delivery WHERE status <> 'pending' AND finished_at < %(before)s LIMIT %(at_once)s)
    UNION ALL
    (SELECT id FROM webhook_delivery WHERE status = 'pending' AND due_at < %(before)s LIMIT %(at_once)s)
    UNION ALL
    (SELECT d.id FROM webhook_subscription AS s JOIN webhook_delivery AS d ON d.subscription_id = s.id
     WHERE s.status = 'deleted' LIMIT %(at_once)s))
"""
_DELETED = """
DELETE FROM webhook_subscription AS s
WHERE s.status = 'deleted' AND NOT EXISTS (SELECT FROM webhook_delivery AS d WHERE d.subscription_id = s.id)
"""
_ENDED_SECRETS = "DELETE FROM webhook_secret WHERE ends_at < %(now)s"


@TASKS.periodic(cron="17 * * * *")
@TASKS.task(name="upkeep.webhooks", pass_context=True, queueing_lock="upkeep.webhooks")
async def forget_periodically(context: JobContext, timestamp: int) -> None:
    """Once an hour; see the module."""
    services = services_of_job(context)
    await forget(services)


async def forget(services: Services) -> None:
    """Remove what is old. Safe to repeat, and to be cut short."""
    now = services.clock.now()
    removed = 1
    while removed:
        async with services.store.transaction() as transaction:
            removed = await transaction.execute(_OLD_DELIVERIES, {"before": now - KEPT, "at_once": _AT_ONCE})
    async with services.store.transaction() as transaction:
        await transaction.execute(_DELETED)
        await transaction.execute(_ENDED_SECRETS, {"now": now})
