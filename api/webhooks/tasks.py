"""Upkeep of the webhooks' tables: rows older than 30 days are removed, a few thousand at a time."""

from datetime import timedelta
from typing import Final

from procrastinate import JobContext

from api.services import Services
from api.store.jobs import TASKS, services_of_job

KEPT: Final = timedelta(days=30)
_BATCH: Final = 5_000


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
            parameters = {"before": now - KEPT, "at_once": _BATCH}
            removed = await transaction.execute("webhooks/forget_deliveries", parameters)
    async with services.store.transaction() as transaction:
        await transaction.execute("webhooks/forget_subscriptions")
        await transaction.execute("webhooks/forget_secrets", {"now": now})
