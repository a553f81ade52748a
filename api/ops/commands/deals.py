"""``regalia deals``."""

import asyncio
import json
from uuid import UUID

from api.deals.errors import DealInvalidState, DealNotFound
from api.deals.repository import DealRecord
from api.deals.service import deals_of
from api.http.times import timestamp
from api.ops.commands.opened import open_services


class DealCommandError(ValueError):
    """The command cannot do what was asked; the message says why."""


def pause(id: str, *, resume: bool) -> None:
    """Stop the clock of a deal, or let it run on, and print the deal.

    Raises:
        DealCommandError: there is no such deal, or it is in a state without a clock to stop.
    """
    try:
        wanted = UUID(id)
    except ValueError as error:
        raise DealCommandError(f"{id!r} is no id of a deal") from error
    with open_services() as services:

        async def run() -> DealRecord:
            try:
                return await deals_of(services).answers.pause(wanted, resume=resume)
            finally:
                await services.store.close()

        try:
            deal = asyncio.run(run())
        except (DealNotFound, DealInvalidState) as error:
            raise DealCommandError(error.message) from error
    deadline = None if deal.deadline is None else timestamp(deal.deadline)
    print(json.dumps({"id": str(deal.id), "status": deal.status, "stage": deal.stage, "deadline": deadline}))
