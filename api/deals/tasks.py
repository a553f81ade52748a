"""The periodic task that moves deals on when their time has come."""

import logging

from procrastinate import JobContext

from api.deals.service import deals_of
from api.store.jobs import TASKS, services_of_job

LOG = logging.getLogger(__name__)


# The lock keeps a slow run from working beside the next one.
@TASKS.periodic(cron="* * * * * */10")
@TASKS.task(name="upkeep.deals", pass_context=True, queueing_lock="upkeep.deals", lock="upkeep.deals")
async def move_due_deals(context: JobContext, timestamp: int) -> None:
    """Every ten seconds: open what was announced long enough, close what lapsed or lost its registration, and complete
    what settled or was swapped."""
    deals = deals_of(services_of_job(context))
    # Vaults first: a merge whose deposit is final does not lapse with its window.
    moved = await deals.vaults.run() + await deals.answers.run_clock() + await deals.following.run()
    if moved:
        LOG.info("moved %d deals whose time had come", moved)
