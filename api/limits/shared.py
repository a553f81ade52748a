"""The limiter that all API processes share: buckets, quotas and windows are rows of the store.

It is exact over processes and machines, because buckets refill by the store's clock. Requests that arrive while a
statement runs are counted together by the next one, so a busy process does not run a statement per request.
"""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from uuid import UUID

from api.clock import Clock
from api.limits.coalescing import Coalescer
from api.limits.grants import DAY_SECONDS, Grant, Subject
from api.limits.plans import PlanLimits
from api.limits.process import Windows
from api.limits.usage import Counted, UsageLedger, day_of, try_to_record_thresholds
from warehouse.errors import StoreUnavailable
from warehouse.store import Store

LOG = logging.getLogger(__name__)
FORGET_SECONDS = 300.0


@dataclass(frozen=True, slots=True)
class Taken:
    """The requests of a subject that one statement granted, the day's usage and the tokens left after them."""

    subject: UUID
    day: date
    account_id: UUID
    used: int
    per_day: int
    reported: int
    granted: int
    tokens: float

    @property
    def counted(self) -> Counted:
        """The day's usage."""
        return Counted(self.subject, self.day, self.account_id, self.used, self.per_day, self.reported)


@dataclass(slots=True)
class TakenOfAddress:
    """How many requests of an address one statement granted, and the seconds until its window ends."""

    address: str
    kind: str
    granted: int
    wait_seconds: float


class StoreMeter:
    """Counts in the store.

    A request that cannot be counted gets 503, because quotas are sold. If a connection ends in the middle, a request
    may be counted twice but never not at all. While the store is down, addresses are counted by this process alone.

    Args:
        counters: the store over the connections that count; a commit there does not wait for the disk.
    """

    def __init__(self, counters: Store, store: Store, *, clock: Clock) -> None:
        self.counters = counters
        self.store = store
        self.clock = clock
        self._takes: Coalescer[tuple[Subject, PlanLimits], Grant] = Coalescer(self._take)
        self._addresses: Coalescer[tuple[str, str, int], float | None] = Coalescer(self._take_of_addresses)
        self._alone = Windows()
        self._recording: dict[tuple[UUID, date], asyncio.Task[None]] = {}
        self._ledger = UsageLedger(store)
        self._forgot_on: date | None = None
        self._forgot_at = 0.0

    async def take(self, subject: Subject, limits: PlanLimits) -> Grant:
        """Count a request of a subject if a limit does not refuse it.

        Raises:
            StoreUnavailable: it cannot be counted.
        """
        return await self._takes.ask((subject, limits))

    async def take_of_address(self, address: str, kind: str, per_minute: int) -> float | None:
        """Count a request of an address and return None; if its limit refuses it, return the seconds to wait."""
        try:
            return await self._addresses.ask((address, kind, per_minute))
        except StoreUnavailable as error:
            LOG.warning("addresses are counted in this process alone: %s", error)
            return self._alone.take(address, kind, per_minute, self.clock.now().timestamp())

    async def keep(self) -> None:
        """Drop idle callers from time to time."""
        now = self.clock.now().timestamp()
        self._alone.forget(now)
        if 0 <= now - self._forgot_at < FORGET_SECONDS:
            return
        self._forgot_at = now
        try:
            await self.counters.rows("limits/forget")
            today = day_of(now)
            if self._forgot_on != today:
                await self._ledger.forget(today)
                self._forgot_on = today
        except StoreUnavailable as error:
            LOG.warning("idle callers are not dropped yet: %s", error)

    async def close(self) -> None:
        """Finish recording warnings, and close the connections."""
        await asyncio.gather(*self._recording.values())
        await self.counters.close()

    async def _take(self, asked: Sequence[tuple[Subject, PlanLimits]]) -> list[Grant]:
        now = self.clock.now().timestamp()
        day = int(now // DAY_SECONDS)
        subjects: dict[UUID, tuple[Subject, PlanLimits]] = {}
        counts: dict[UUID, int] = {}
        for subject, limits in asked:
            subjects[subject.id] = subject, limits
            counts[subject.id] = counts.get(subject.id, 0) + 1
        parameters = {
            "subjects": list(subjects),
            "accounts": [subject.account_id for subject, _ in subjects.values()],
            "counts": list(counts.values()),
            "rates": [float(limits.per_second) for _, limits in subjects.values()],
            "bursts": [float(limits.burst) for _, limits in subjects.values()],
            "quotas": [limits.per_day for _, limits in subjects.values()],
            "day": day_of(now),
        }
        rows = {row.subject: row for row in await self.counters.rows("limits/take", parameters, Taken)}
        for row in rows.values():
            self._record_thresholds(row.counted)
        nth: dict[UUID, int] = {}
        grants = []
        for subject, limits in asked:
            before = nth[subject.id] = nth.get(subject.id, -1) + 1
            grants.append(_grant(rows[subject.id], before, limits, now, (day + 1) * DAY_SECONDS))
        return grants

    def _record_thresholds(self, counted: Counted) -> None:
        key = counted.subject, counted.day
        if counted.unreported and key not in self._recording:
            task = self._recording[key] = asyncio.create_task(try_to_record_thresholds(self.store, counted))
            task.add_done_callback(lambda _: self._recording.pop(key, None))

    async def _take_of_addresses(self, asked: Sequence[tuple[str, str, int]]) -> list[float | None]:
        counts: dict[tuple[str, str], int] = {}
        limits: dict[tuple[str, str], int] = {}
        for address, kind, per_minute in asked:
            counts[address, kind] = counts.get((address, kind), 0) + 1
            limits[address, kind] = per_minute
        parameters = {
            "addresses": [address for address, _ in counts],
            "kinds": [kind for _, kind in counts],
            "counts": list(counts.values()),
            "limits": list(limits.values()),
        }
        taken = await self.counters.rows("limits/take_addresses", parameters, TakenOfAddress)
        rows = {(row.address, row.kind): row for row in taken}
        answers: list[float | None] = []
        for address, kind, _ in asked:
            row = rows[address, kind]
            granted = row.granted > 0
            row.granted -= 1
            answers.append(None if granted else max(0.0, row.wait_seconds))
        return answers


def _grant(row: Taken, before: int, limits: PlanLimits, now: float, day_ends: int) -> Grant:
    """The grant of a request; ``before`` requests of its subject precede it in the same statement."""
    if before < row.granted:
        later = row.granted - 1 - before
        return Grant(None, row.tokens + later, row.used - later, now, day_ends)
    refusal = "day" if row.used >= limits.per_day else "rate"
    return Grant("day" if refusal == "day" else "rate", row.tokens, row.used, now, day_ends)
