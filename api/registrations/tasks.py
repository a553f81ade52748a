"""Tells operators of announced expiries that owners objected to: each waits for the registry's guardian."""

import asyncio

from procrastinate import JobContext

from api.store.jobs import TASKS, services_of_job
from warehouse import postgres
from warehouse.notices import ledger
from warehouse.notices.conditions import Condition, iso
from warehouse.postgres import Connection

KIND = "end_objected"


@TASKS.periodic(cron="*/5 * * * *")
@TASKS.task(name="upkeep.disputed_ends", pass_context=True, queueing_lock="upkeep.disputed_ends")
async def report_disputed_ends(context: JobContext, timestamp: int) -> None:
    """Every five minutes. A notice ends when the guardian has decided, or the end lapsed."""
    services = services_of_job(context)
    keys = {chain.chain_id: chain.key for chain in services.chains.by_key.values()}
    await asyncio.to_thread(_report, services.urls.database_url, keys)


def _report(database_url: str, chain_keys: dict[int, str]) -> None:
    with postgres.connect(database_url, autocommit=True) as store:
        ledger.settle(store, KIND, find_disputed(store, chain_keys))


def find_disputed(store: Connection, chain_keys: dict[int, str]) -> list[Condition]:
    """A condition for each disputed end."""
    conditions = []
    for row in postgres.run(store, "registrations/list_disputed_ends", {}):
        chain = chain_keys.get(row["chain_id"], str(row["chain_id"]))
        options = f"--chain {chain} --id {row['token_id']}"
        conditions.append(
            Condition(
                KIND,
                f"{chain}:{row['token_id']}",
                "warning",
                f"the owner of {row['symbol']} on {chain} objected to its expiry: confirm it with "
                f"`regalia guardian confirm-end {options}`, or stop it with `stop-end`",
                {
                    "chainId": row["chain_id"],
                    "tokenId": row["token_id"],
                    "symbol": row["symbol"],
                    "dueAt": iso(row["pending_end_due_at"]),
                },
            )
        )
    return conditions
