"""Daily usage in the store: adds counts, and records events when a quota runs low."""

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Any
from uuid import UUID, uuid4

from api.limits.grants import DAY_SECONDS, Subject
from api.store.events import record
from warehouse.domain.events.accounts import QuotaCrossed, QuotaExceeded, QuotaWarning, UsageThreshold
from warehouse.domain.events.event import of_account
from warehouse.errors import StoreUnavailable
from warehouse.store import Store, Transaction

LOG = logging.getLogger(__name__)
WARNED_AT, EXCEEDED_AT = 80, 90
THRESHOLDS: Mapping[int, type[QuotaCrossed]] = {WARNED_AT: QuotaWarning, EXCEEDED_AT: QuotaExceeded}
"""Percentages of a quota that are reported, and the event recorded in addition to ``usage.threshold``."""
KEPT_DAYS = 400


@dataclass(frozen=True, slots=True)
class Counted:
    """A subject's usage on one day. ``reported`` is the highest percentage already recorded."""

    subject: UUID
    day: date
    account_id: UUID
    used: int
    per_day: int
    reported: int

    @property
    def unreported(self) -> list[int]:
        """Percentages reached but not recorded yet, ascending."""
        return [
            percent for percent in THRESHOLDS if self.reported < percent and 100 * self.used >= percent * self.per_day
        ]


def day_of(now: float) -> date:
    """The UTC day of a time in Unix seconds."""
    return datetime.fromtimestamp(now, UTC).date()


async def record_thresholds(transaction: Transaction, counted: Counted) -> None:
    """Record the events of the thresholds that were reached. Safe to repeat: each is recorded once a day per account,
    for the first of its keys that reaches it."""
    unreported = counted.unreported
    moved = {"subject": counted.subject, "day": counted.day, "percent": unreported[-1]}
    if not await transaction.execute("limits/mark_told", moved):
        return
    for percent in unreported:
        for event in (UsageThreshold, THRESHOLDS[percent]):
            crossed = event(day=counted.day.isoformat(), used=counted.used, limit=counted.per_day, percent=percent)
            await record(transaction, of_account(crossed, counted.account_id))


@dataclass(slots=True)
class _Batch:
    number: int
    counts: dict[tuple[UUID, date], list[Any]] = field(default_factory=dict)
    """By subject and day: the account, the number of requests, the quota."""


class UsageLedger:
    """Adds this process's counts to the store's in batches. A process that is killed loses the counts since the last
    batch."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._process = uuid4()
        self._open = _Batch(1)
        self._sent: _Batch | None = None
        self._turn = asyncio.Lock()

    def count(self, subject: Subject, day: date, per_day: int) -> None:
        """Count one request."""
        counted = self._open.counts.get((subject.id, day))
        if counted is None:
            self._open.counts[subject.id, day] = [subject.account_id, 1, per_day]
        else:
            counted[1] += 1
            counted[2] = per_day

    def unwritten(self, subject: UUID, day: date) -> int:
        """Requests of a subject that this process has not written to the store yet."""
        batches = (self._open, self._sent) if self._sent else (self._open,)
        return sum(batch.counts[subject, day][1] for batch in batches if (subject, day) in batch.counts)

    async def used(self, subject: UUID, day: date) -> int:
        """The count in the store.

        Raises:
            StoreUnavailable: the store is down.
        """
        row = await self.store.row("limits/find_usage", {"subject": subject, "day": day})
        return 0 if row is None else int(row["used"])

    async def write(self) -> list[Counted]:
        """Add the counts since the last call; returns the counts of all processes for the same subjects.

        Safe to repeat: after a failure the same batch is sent again under the same number, then the counts since.

        Raises:
            StoreUnavailable: the store is down; nothing is lost.
        """
        async with self._turn:
            known: dict[tuple[UUID, date], Counted] = {}
            while self._sent is not None or self._open.counts:
                again = self._sent is not None
                if self._sent is None:
                    self._sent, self._open = self._open, _Batch(self._open.number + 1)
                known.update({(counted.subject, counted.day): counted for counted in await self._send(self._sent)})
                self._sent = None
                if not again:
                    break  # counts made meanwhile are for the next call
            return list(known.values())

    async def forget(self, today: date) -> None:
        """Remove what is older than ``KEPT_DAYS``."""
        before = datetime.fromtimestamp((today - date(1970, 1, 1)).days * DAY_SECONDS - KEPT_DAYS * DAY_SECONDS, UTC)
        async with self.store.transaction() as transaction:
            await transaction.execute("limits/remove_old_usage", {"before": before})
            await transaction.execute("limits/remove_old_batches", {"before": before})

    async def _send(self, batch: _Batch) -> list[Counted]:
        keys, values = list(batch.counts), list(batch.counts.values())
        named = {"subjects": [subject for subject, _ in keys], "days": [day for _, day in keys]}
        async with self.store.transaction() as transaction:
            if await transaction.execute("limits/claim_batch", {"process": self._process, "number": batch.number}):
                accounts, counts, quotas = (list(column) for column in zip(*values, strict=True))
                await transaction.execute(
                    "limits/add_usage",
                    {**named, "accounts": accounts, "counts": counts, "quotas": quotas},
                )
            found = await transaction.rows("limits/list_usage", named, Counted)
            for counted in found:
                if counted.unreported:
                    await record_thresholds(transaction, counted)
        return found


async def try_to_record_thresholds(store: Store, counted: Counted) -> None:
    """Record the events in their own transaction. If the store fails, the next count of the subject retries."""
    try:
        async with store.transaction() as transaction:
            await record_thresholds(transaction, counted)
    except StoreUnavailable as error:
        LOG.warning("the usage events of account %s are not recorded yet: %s", counted.account_id, error)
