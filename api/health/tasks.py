"""Notices to operators where Dagster does not run: halted chains, and every message that is due.

Dagster's sensor does the same: the first one does the work, the other finds nothing to do.
"""

import asyncio

from procrastinate import JobContext

from api.services import Services
from api.store.jobs import TASKS, services_of_job
from warehouse import postgres
from warehouse.notices import chains, ledger, webhook


@TASKS.periodic(cron="* * * * * */30")
@TASKS.task(name="upkeep.tell_operators", pass_context=True, queueing_lock="upkeep.tell_operators")
async def notify_operators_periodically(context: JobContext, timestamp: int) -> None:
    """Report halted chains and send what is due; twice a minute."""
    services = services_of_job(context)
    await asyncio.to_thread(notify_operators, services)


def notify_operators(services: Services) -> None:
    """Look once, and send the messages that follow."""
    with postgres.connect(services.urls.database_url, autocommit=True) as store:
        chains.settle_halted(store, {chain.chain_id: chain.key for chain in services.chains.by_key.values()})
        ledger.deliver_due(store, webhook.configured(services.settings))
