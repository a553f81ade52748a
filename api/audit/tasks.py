"""Removes entries of audit logs that are older than the retention, a few thousand at a time."""

from datetime import timedelta
from typing import Final

from procrastinate import JobContext

from api.audit.repository import AuditRepository
from api.services import Services
from api.store.jobs import TASKS, services_of_job

_BATCH: Final = 5_000


@TASKS.periodic(cron="27 * * * *")
@TASKS.task(name="upkeep.audit", pass_context=True, queueing_lock="upkeep.audit")
async def forget_periodically(context: JobContext, timestamp: int) -> None:
    """Once an hour; see the module."""
    await forget(services_of_job(context))


async def forget(services: Services) -> None:
    """Remove what is old. Safe to repeat, and to be cut short."""
    repository = AuditRepository(services.store)
    before = services.clock.now() - timedelta(days=services.settings.audit_days)
    while await repository.forget(before, _BATCH):
        pass
