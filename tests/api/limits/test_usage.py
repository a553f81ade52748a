"""Daily usage in the store: counted once across processes and outages, and reported once a day."""

import asyncio
from collections.abc import AsyncIterator
from datetime import date
from typing import Any
from uuid import UUID

import pytest

from api.limits.grants import Subject
from api.limits.plans import PlanLimits
from api.limits.process import ProcessMeter
from api.limits.usage import UsageLedger
from tests.fixtures.clocks import ManualClock
from tests.fixtures.usage import EVENTS, new_key, usage_counts, usage_events
from warehouse.errors import StoreUnavailable
from warehouse.postgres import Connection
from warehouse.store import Store

TODAY = date(2026, 3, 1)


def limits(per_day: int) -> PlanLimits:
    return PlanLimits(per_second=10_000, burst=10_000, per_day=per_day, keys=1, new_keys=1)


@pytest.fixture
async def api_store(store_url: str) -> AsyncIterator[Store]:
    opened = Store(store_url)
    yield opened
    await opened.close()


@pytest.fixture
def subject(store_url: str, store: Connection) -> Subject:
    return new_key(store_url, store)


async def use(meter: ProcessMeter, subject: Subject, requests: int, per_day: int = 100) -> list[str | None]:
    return [(await meter.take(subject, limits(per_day))).refusal for _ in range(requests)]


async def test_counts_of_processes_are_added_up(
    api_store: Store, store: Connection, subject: Subject, clock: ManualClock
) -> None:
    first, second = (ProcessMeter(UsageLedger(api_store), clock=clock) for _ in range(2))
    await use(first, subject, 30)
    await use(second, subject, 20)
    await first.keep()
    await second.keep()
    await use(first, subject, 5)
    await first.keep()
    assert usage_counts(store) == [55]


async def test_a_process_reads_the_counts_of_others(api_store: Store, subject: Subject, clock: ManualClock) -> None:
    first, second = (ProcessMeter(UsageLedger(api_store), clock=clock) for _ in range(2))
    await use(first, subject, 1)
    await use(second, subject, 98)
    await second.keep()
    assert await use(first, subject, 1) == [None]
    await first.keep()
    assert await use(first, subject, 1) == ["day"]


async def test_a_new_process_reads_earlier_usage(api_store: Store, subject: Subject, clock: ManualClock) -> None:
    before = ProcessMeter(UsageLedger(api_store), clock=clock)
    await use(before, subject, 99)
    await before.keep()
    after = ProcessMeter(UsageLedger(api_store), clock=clock)
    assert await asyncio.gather(*(_refusal(after, subject) for _ in range(5))) == [None, "day", "day", "day", "day"]


async def _refusal(meter: ProcessMeter, subject: Subject) -> str | None:
    return (await meter.take(subject, limits(100))).refusal


class LosesAnswers(Store):
    """A store whose next transactions commit and then raise as if they had failed."""

    losses = 0

    def transaction(self) -> Any:
        return _Losing(self, super().transaction())


class _Losing:
    def __init__(self, store: LosesAnswers, transaction: Any) -> None:
        self.store, self.transaction = store, transaction

    async def __aenter__(self) -> Any:
        return await self.transaction.__aenter__()

    async def __aexit__(self, *raised: Any) -> Any:
        ended = await self.transaction.__aexit__(*raised)
        if self.store.losses:
            self.store.losses -= 1
            raise StoreUnavailable("the answer was lost")
        return ended


async def test_a_batch_sent_twice_is_counted_once(store_url: str, store: Connection, subject: Subject) -> None:
    losing = LosesAnswers(store_url)
    ledger = UsageLedger(losing)
    for _ in range(85):
        ledger.count(subject, TODAY, 100)
    losing.losses = 2
    for _ in range(2):
        with pytest.raises(StoreUnavailable):
            await ledger.write()
    ledger.count(subject, TODAY, 100)
    assert [counted.used for counted in await ledger.write()] == [86]
    assert await ledger.write() == []
    assert usage_counts(store) == [86]
    assert usage_events(store) == [("quota.threshold_warning", 80), ("usage.threshold", 80)]
    await losing.close()


async def test_counts_outlive_an_outage_of_the_store(
    store_url: str, api_store: Store, store: Connection, subject: Subject, clock: ManualClock
) -> None:
    unreachable = Store("postgresql://nobody@127.0.0.1:1/none", timeout_seconds=1)
    ledger = UsageLedger(unreachable)
    meter = ProcessMeter(ledger, clock=clock)
    assert await use(meter, subject, 3) == [None] * 3
    await meter.keep()
    ledger.store = api_store
    assert await use(meter, subject, 1) == [None]
    await meter.keep()
    assert usage_counts(store) == [4]
    await unreachable.close()


async def test_80_and_90_percent_are_reported_once_a_day_per_account(
    api_store: Store, store: Connection, store_url: str, subject: Subject, clock: ManualClock
) -> None:
    meter = ProcessMeter(UsageLedger(api_store), clock=clock)
    other = new_key(store_url, store)
    await use(meter, subject, 79)
    await meter.keep()
    assert usage_events(store) == []
    await use(meter, subject, 1)
    await meter.keep()
    assert usage_events(store) == [("quota.threshold_warning", 80), ("usage.threshold", 80)]
    await use(meter, subject, 10)
    await use(meter, other, 95)
    await meter.keep()
    await meter.keep()
    everything = [
        ("quota.exceeded", 90),
        ("quota.threshold_warning", 80),
        ("usage.threshold", 80),
        ("usage.threshold", 90),
    ]
    assert usage_events(store) == everything
    event = store.execute(EVENTS).fetchone()
    assert event is not None
    assert event["account_id"] == subject.account_id
    assert event["payload"] == {"day": clock.now().date().isoformat(), "used": 90, "limit": 100, "percent": 90}
    clock.advance(days=1)
    await use(meter, other, 80)
    await meter.keep()
    assert usage_events(store) == sorted([*everything, ("quota.threshold_warning", 80), ("usage.threshold", 80)])


async def test_a_smaller_plan_reports_earlier_usage(
    api_store: Store, store: Connection, subject: Subject, clock: ManualClock
) -> None:
    meter = ProcessMeter(UsageLedger(api_store), clock=clock)
    await use(meter, subject, 85, per_day=1_000)
    await meter.keep()
    assert usage_events(store) == []
    await use(meter, subject, 1, per_day=100)
    await meter.keep()
    assert usage_events(store) == [("quota.threshold_warning", 80), ("usage.threshold", 80)]


async def test_old_usage_is_deleted(api_store: Store, store: Connection, subject: Subject) -> None:
    ledger = UsageLedger(api_store)
    for day in (date(2024, 1, 1), date(2026, 2, 1)):
        ledger.count(subject, day, 100)
    await ledger.write()
    await ledger.forget(TODAY)
    assert [row["day"] for row in store.execute("SELECT day FROM api_usage").fetchall()] == [date(2026, 2, 1)]


async def test_usage_of_two_keys_is_written_in_one_batch(
    api_store: Store, store: Connection, store_url: str, subject: Subject
) -> None:
    ledger = UsageLedger(api_store)
    other = new_key(store_url, store)
    for asked in (subject, other, subject):
        ledger.count(asked, TODAY, 100)
    written: dict[UUID, int] = {counted.subject: counted.used for counted in await ledger.write()}
    assert written == {subject.id: 2, other.id: 1}
    assert ledger.unwritten(subject.id, TODAY) == 0
