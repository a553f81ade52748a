"""Looking at verified domains again: each once in ``REGALIA_DOMAIN_CHECK_HOURS``."""

import asyncio
import logging
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from procrastinate import JobContext

from api.clock import Clock
from api.domains.lookups import AT_ONCE, LookupFailed, TextLookups
from api.domains.proofs import OTHER_TEXTS, is_proven, is_withdrawn, record_name
from api.domains.repository import DomainRecord, DomainRepository
from api.settings import ApiSettings
from api.store.jobs import TASKS, services_of_job

LOG = logging.getLogger(__name__)
UNANSWERED: Final = "unanswered"
# Longer than one batch of lookups can take.
_LEASE: Final = timedelta(minutes=5)
_SOON: Final = timedelta(hours=1)
"""Name servers that did not answer are asked again after so long."""


@TASKS.periodic(cron="*/5 * * * *")
@TASKS.task(name="upkeep.domains", pass_context=True, queueing_lock="upkeep.domains")
async def check_periodically(context: JobContext, timestamp: int) -> None:
    """Every five minutes; see the module."""
    services = services_of_job(context)
    repository = DomainRepository(services.store)
    check = DomainCheck(repository, services.text_lookups, services.settings, services.clock)
    while await check.run():
        pass


@dataclass(frozen=True, slots=True)
class DomainCheck:
    """Checks of the domains that are due. A domain loses its verification when its record was missing in as many
    consecutive checks, over as long, as the settings say. Checks without an answer do not count."""

    repository: DomainRepository
    lookups: TextLookups
    settings: ApiSettings
    clock: Clock

    async def run(self) -> int:
        """Check some of them; the answer is how many."""
        now = self.clock.now()
        due = await self.repository.lease_due(now, now + _LEASE, AT_ONCE)
        async with asyncio.TaskGroup() as checks:
            for row in due:
                checks.create_task(self._check(row))
        return len(due)

    async def _check(self, row: DomainRecord) -> None:
        now = self.clock.now()
        interval = timedelta(hours=self.settings.domain_check_hours)
        seen = {
            "now": now,
            "answered": True,
            "lost": False,
            "check_at": now + interval,
            "failing_since": None,
            "absences": 0,
            "problem": None,
        }
        counted = {"failing_since": row.failing_since, "absences": row.absences}
        try:
            found = await self.lookups.texts(record_name(self.settings, row.domain))
        except LookupFailed as error:
            LOG.info("domain not checked: %s", error)
            seen |= {**counted, "answered": False, "check_at": now + min(interval, _SOON), "problem": UNANSWERED}
        else:
            if not is_proven(row.challenge, found.values):
                lost = is_withdrawn(row, now, self.settings)
                LOG.info("the record of %s is missing%s", row.domain, "; verification lost" if lost else "")
                seen |= {
                    "failing_since": row.failing_since or now,
                    "absences": row.absences + 1,
                    "lost": lost,
                    "problem": found.missing or OTHER_TEXTS,
                }
        await self.repository.record_check(row, **seen)
