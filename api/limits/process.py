"""The limiter within one process: exact for the requests of this process, and nearly free.

Rates and windows are this process's own. Daily counts are added to the store's every few seconds, so that they outlive
the process, and processes learn of each other's; between two of these moments a key can use up its quota once in each
process.
"""

import logging
from collections import OrderedDict
from datetime import date

from api.clock import Clock
from api.limits.grants import DAY_SECONDS, WINDOW_SECONDS, Bucket, Grant, Subject, Window
from api.limits.plans import PlanLimits
from api.limits.usage import UsageLedger, day_of
from warehouse.errors import StoreUnavailable

LOG = logging.getLogger(__name__)
IDLE_SECONDS = 600.0
MAX_ADDRESSES = 200_000
"""Windows that are kept; of more, the oldest are dropped."""


class _Account:
    """The counts of a subject. ``used`` is the day's count of all processes, as far as it is known."""

    __slots__ = ("asked_at", "bucket", "date", "day", "used")

    def __init__(self, day: int, used: int, bucket: Bucket) -> None:
        self.day = day
        self.date = day_of(day * DAY_SECONDS)
        self.used = used
        self.bucket = bucket
        self.asked_at = bucket.counted_at


class ProcessMeter:
    """Counts in this process's memory."""

    def __init__(self, ledger: UsageLedger, *, clock: Clock) -> None:
        self.ledger = ledger
        self.clock = clock
        self._accounts: dict[object, _Account] = {}
        self._windows = Windows()
        self._forgot_on: date | None = None

    async def take(self, subject: Subject, limits: PlanLimits) -> Grant:
        """Count a request of a subject if a limit does not refuse it."""
        now = self.clock.now().timestamp()
        day = int(now // DAY_SECONDS)
        account = self._accounts.get(subject.id)
        if account is None:
            account = await self._begin(subject, day, now, limits)
        if account.day != day:
            account.day, account.date, account.used = day, day_of(now), 0
        account.asked_at = now
        ends = (day + 1) * DAY_SECONDS
        bucket = account.bucket
        if account.used >= limits.per_day:
            return Grant("day", min(bucket.tokens, limits.burst), account.used, now, ends)
        if not bucket.take(now, limits.per_second, limits.burst):
            return Grant("rate", bucket.tokens, account.used, now, ends)
        account.used += 1
        self.ledger.count(subject, account.date, limits.per_day)
        return Grant(None, bucket.tokens, account.used, now, ends)

    async def take_of_address(self, address: str, kind: str, per_minute: int) -> float | None:
        """Count a request of an address and return None; if its limit refuses it, return the seconds to wait."""
        return self._windows.take(address, kind, per_minute, self.clock.now().timestamp())

    async def keep(self) -> None:
        """Write the counts to the store, read those of other processes, and drop idle callers."""
        try:
            for counted in await self.ledger.write():
                account = self._accounts.get(counted.subject)
                if account is not None and account.date == counted.day:
                    account.used = counted.used + self.ledger.unwritten(counted.subject, counted.day)
            await self._forget()
        except StoreUnavailable as error:
            LOG.warning("usage is not written yet: %s", error)

    async def close(self) -> None:
        """Nothing to close: the ledger writes over the store's connections."""

    async def _begin(self, subject: Subject, day: int, now: float, limits: PlanLimits) -> _Account:
        today = day_of(now)
        try:
            used = await self.ledger.used(subject.id, today)
        except StoreUnavailable:
            used = 0  # earlier usage is read when the counts are written
        made = _Account(day, used + self.ledger.unwritten(subject.id, today), Bucket(limits.burst, now))
        return self._accounts.setdefault(subject.id, made)

    async def _forget(self) -> None:
        now = self.clock.now().timestamp()
        idle = [id for id, account in self._accounts.items() if account.asked_at < now - IDLE_SECONDS]
        for id in idle:
            # An idle bucket is full again, and its counts are in the store.
            del self._accounts[id]
        self._windows.forget(now)
        today = day_of(now)
        if self._forgot_on != today:
            await self.ledger.forget(today)
            self._forgot_on = today


class Windows:
    """The minutes of addresses, oldest first."""

    def __init__(self) -> None:
        self._windows: OrderedDict[tuple[str, str], Window] = OrderedDict()

    def take(self, address: str, kind: str, per_minute: int, now: float) -> float | None:
        """See :meth:`ProcessMeter.take_of_address`."""
        window = self._windows.get((address, kind))
        if window is None:
            window = self._windows[address, kind] = Window(now, 0)
            if len(self._windows) > MAX_ADDRESSES:
                self._windows.popitem(last=False)
        began = window.began_at
        wait = window.take(now, per_minute)
        if window.began_at != began:
            self._windows.move_to_end((address, kind))
        return wait

    def forget(self, now: float) -> None:
        """Drop the minutes that are over."""
        while self._windows:
            key, window = next(iter(self._windows.items()))
            if 0 <= now - window.began_at < WINDOW_SECONDS:
                return
            del self._windows[key]
