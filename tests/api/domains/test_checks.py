"""Verified domains are checked again: a missing record ends a domain, unreachable name servers never do."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import dns.rcode
import pytest

from api.domains.lookups import TextLookups
from api.domains.repository import DomainRepository
from api.domains.tasks import DomainCheck, check_periodically
from api.settings import ApiSettings
from api.store.jobs import open_queue
from api.worker import work
from tests.factories.registrations import BASE, add_registration
from tests.fixtures.clocks import ManualClock
from tests.fixtures.text_server import TextServer
from warehouse.postgres import Connection
from warehouse.store import Store

RECORD = "_regalia-challenge.pepe.example"


@dataclass
class Checked:
    """A verified domain, its name server, and the worker's daily check of it."""

    check: DomainCheck
    clock: ManualClock
    connection: Connection
    text_server: TextServer

    async def after(self, hours: float = 24.0) -> dict[str, Any]:
        """The domain after the next check."""
        self.clock.advance(hours=hours)
        while await self.check.run():
            pass
        row = self.connection.execute(
            "SELECT verified_at IS NOT NULL AS verified, absences, last_problem AS problem, failing_since IS NOT NULL"
            " AS failing, lost_at IS NOT NULL AS lost FROM registration_domain"
        ).fetchone()
        assert row is not None
        return row


@pytest.fixture
async def checked(store: Connection, store_url: str, text_server: TextServer) -> AsyncIterator[Checked]:
    clock, settings = ManualClock(), ApiSettings(**text_server.settings())
    add_registration(store, token_id=7)
    store.execute(
        "INSERT INTO registration_domain (chain_id, token_id, domain, challenge, verified_at, check_at)"
        " VALUES (%s, 7, 'pepe.example', 'the proof', %s, %s)",
        (BASE, clock.now(), clock.now()),
    )
    text_server.texts[RECORD] = [("the proof",)]
    opened = Store(store_url)
    yield Checked(
        DomainCheck(DomainRepository(opened), TextLookups.of(settings), settings, clock), clock, store, text_server
    )
    await opened.close()


KEPT = {"verified": True, "absences": 0, "problem": None, "failing": False, "lost": False}


async def test_a_present_record_keeps_its_domain_and_is_checked_daily(checked: Checked) -> None:
    assert await checked.after() == KEPT
    assert await checked.after(1) == KEPT
    assert len(checked.text_server.asked) == 1
    await asyncio.gather(checked.check.run(), checked.after(24), checked.check.run())
    assert len(checked.text_server.asked) == 2


async def test_a_missing_record_ends_the_domain_after_three_checks_and_days(checked: Checked) -> None:
    await checked.after()
    checked.text_server.texts[RECORD] = [("something else",)]
    for absences in (1, 2, 3):
        assert await checked.after() == {
            "verified": True, "absences": absences, "problem": "other_values", "failing": True, "lost": False,
        }  # fmt: skip
    del checked.text_server.texts[RECORD]
    found = await checked.after()
    assert (found["verified"], found["lost"], found["problem"]) == (False, True, "no_such_name")


async def test_a_record_that_returns_resets_the_count(checked: Checked) -> None:
    records, checked.text_server.texts = checked.text_server.texts, {}
    for _ in range(3):
        assert (await checked.after())["failing"]
    checked.text_server.texts = records
    assert await checked.after() == KEPT


async def test_unreachable_name_servers_do_not_end_a_domain(checked: Checked) -> None:
    checked.text_server.texts = {}
    assert (await checked.after())["absences"] == 1
    checked.text_server.faults[RECORD] = dns.rcode.SERVFAIL
    for _ in range(20):
        found = await checked.after()
        assert (found["verified"], found["absences"], found["problem"]) == (True, 1, "unanswered")
    checked.text_server.faults.clear()
    assert (await checked.after(1))["absences"] == 2  # checked again within the hour, and once more before it ends
    assert not (await checked.after())["verified"]


async def test_the_worker_checks_domains_when_due(
    checked: Checked, store_url: str, data_dir: Path, text_server: TextServer
) -> None:
    checked.connection.execute("UPDATE registration_domain SET check_at = now() - interval '1 day'")
    async with open_queue(store_url):
        await check_periodically.defer_async(timestamp=0)
    settings = {"database_url": store_url, "clickhouse_url": "http://127.0.0.1:9/unused", "data_dir": data_dir}
    await work(ApiSettings(**settings, **text_server.settings()), wait=False)
    assert checked.text_server.asked == [RECORD]
    assert checked.connection.execute("SELECT FROM registration_domain WHERE checked_at IS NOT NULL").rowcount == 1


async def test_an_ended_registration_is_not_checked(checked: Checked) -> None:
    checked.connection.execute("UPDATE registration SET expired_at = now()")
    assert await checked.after() == KEPT
    assert checked.text_server.asked == []
