"""Telling operators where Dagster does not run: halted chains, and every message that is due.

Dagster's sensor does the same; who comes first does the work, and the other finds nothing to do.
"""

import asyncio

from procrastinate import JobContext

from api.store.jobs import CONTEXT_KEY, TASKS, WorkContext
from warehouse import engines, postgres
from warehouse.notices import chains, ledger, webhook


@TASKS.periodic(cron="* * * * * */30")
@TASKS.task(name="upkeep.tell_operators", pass_context=True, queueing_lock="upkeep.tell_operators")
async def tell_operators_periodically(context: JobContext, timestamp: int) -> None:
    """Report halted chains and send what is due; twice a minute."""
    work: WorkContext = context.additional_context[CONTEXT_KEY]
    await asyncio.to_thread(tell_operators, work)


def tell_operators(work: WorkContext) -> None:
    """One look and the messages that follow from it."""
    with postgres.connect(engines.locate(work.settings).database_url, autocommit=True) as store:
        chains.settle_halted(store, {chain.chain_id: chain.key for chain in work.chains.by_key.values()})
        ledger.deliver_due(store, webhook.configured(work.settings))
