"""Sending the codes that confirm contacts, and forgetting that they were asked for."""

import logging
from datetime import timedelta
from typing import Final
from uuid import UUID, uuid4

from procrastinate import JobContext, RetryStrategy

from api.contacts.codes import VALID, Codes
from api.security.sealing import Unsealable
from api.store.jobs import TASKS, services_of_job
from api.vendors.messages import Channel, Message

LOG = logging.getLogger(__name__)
_KEPT: Final = timedelta(days=1)


class CodeNotSent(Exception):
    """The vendor did not take a code; the job is tried again."""


@TASKS.task(name="contacts.send_code", pass_context=True, retry=RetryStrategy(max_attempts=4, wait=20))
async def send_code(context: JobContext, contact_id: str) -> None:
    """Make a code for a contact and send it there. Each attempt makes a new one, and only the last is valid."""
    services = services_of_job(context)
    id = UUID(contact_id)
    code, mac = Codes(services.sealer).make(id)
    row = await services.store.row(
        "contacts/set_code", {"id": id, "code_mac": mac, "ends_at": services.clock.now() + VALID}
    )
    vendor = services.vendors.get(Channel(row["channel"])) if row else None
    if row is None or vendor is None:  # replaced or confirmed meanwhile, or the channel was switched off
        return
    try:
        address = services.sealer.unseal(row["sealed"], contact_id).decode()
    except Unsealable as error:
        LOG.error("contact %s gets no code: its address is %s", contact_id, error)
        return
    name = services.settings.service_name
    minutes = int(VALID.total_seconds() // 60)
    text = f"Your code is {code}. It is valid for {minutes} minutes. If you did not ask for it, ignore this message."
    outcome = await vendor.send(address, Message(uuid4(), f"{name}: confirm your address", text))
    if outcome.failure is not None and not outcome.final:
        raise CodeNotSent(outcome.problem)


@TASKS.periodic(cron="17 * * * *")
@TASKS.task(name="upkeep.contact_codes", pass_context=True, queueing_lock="upkeep.contact_codes")
async def forget_codes(context: JobContext, timestamp: int) -> None:
    """Once an hour: forget codes that no limit counts any more."""
    services = services_of_job(context)
    async with services.store.transaction() as transaction:
        await transaction.execute("contacts/forget_codes", {"before": services.clock.now() - _KEPT})
