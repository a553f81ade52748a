"""The delivery engine: any number of them work on one queue.

Three loops: messages become deliveries, due deliveries are leased and sent, results are written down many at a time. A
loop runs again when it is notified, and once a second by itself. While the store is away the loops wait, and results
are kept until it is back.
"""

import asyncio
import logging
import random
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Generic
from uuid import UUID, uuid4

from warehouse.delivery.channel import A, Channel, Counts, D, Queue, R, Result
from warehouse.delivery.pace import Pace
from warehouse.delivery.retries import RetrySchedule
from warehouse.errors import StoreUnavailable
from warehouse.notifications import listen

LOG = logging.getLogger(__name__)

POLL_SECONDS: Final = 1.0
_STEP_SECONDS: Final = 3.0
"""How long a running step may take to end when the engine stops."""
_GATHER_SECONDS: Final = 0.01
"""How long free places are gathered before more is leased."""
_RECEIVERS_AT_ONCE: Final = 256
_RESULTS_AT_ONCE: Final = 256


@dataclass(frozen=True, slots=True)
class Terms:
    """How a user of the engine delivers.

    Args:
        name: for logs and names of tasks.
        schedule: the pauses between attempts.
        limit_seconds: the longest that an attempt may take.
        lease_seconds: how long a process that died keeps others from its deliveries. Several times the limit.
        poll_seconds: how often the engine looks by itself.
        chance: draws numbers from 0 to 1, for the schedule's jitter.
        notify_url, notify_topic: the store and the topic on which it notifies of new messages; without them the engine
            only looks by itself.
    """

    name: str
    schedule: RetrySchedule
    limit_seconds: float
    lease_seconds: float
    poll_seconds: float = POLL_SECONDS
    chance: Callable[[], float] = random.random
    notify_url: str | None = None
    notify_topic: str | None = None


class DeliveryEngine(Generic[R, D, A]):
    """Sends what is due in a queue over a channel.

    Args:
        now: the clock.
        pace: how many requests each receiver may have at a time.
        counts: what is counted of attempts; null: nothing.
    """

    def __init__(
        self,
        queue: Queue[R, D, A],
        channel: Channel[R, D, A],
        terms: Terms,
        now: Callable[[], datetime],
        *,
        pace: Pace | None = None,
        counts: Counts[D, A] | None = None,
    ) -> None:
        self.queue = queue
        self.channel = channel
        self.terms = terms
        self.pace = pace or Pace()
        self.counts = counts
        self._now = now
        self._lease = timedelta(seconds=terms.lease_seconds)
        self._after: UUID | None = None
        self._unreachable: set[UUID] = set()
        self._sending: set[asyncio.Task[None]] = set()
        self._results: list[Result[D, A]] = []
        self._arrived = asyncio.Event()
        self._due = asyncio.Event()
        self._done = asyncio.Event()

    async def run(self, stop: asyncio.Event) -> None:
        """Work until ``stop``; then let running attempts end, and write them down."""
        name = self.terms.name
        loops = [
            asyncio.create_task(self._repeat(stop, self._arrived, self.fan_out), name=f"{name}: fan out"),
            asyncio.create_task(self._repeat(stop, self._due, self.dispatch), name=f"{name}: dispatch"),
            asyncio.create_task(self._repeat(stop, self._done, self.record), name=f"{name}: record"),
        ]
        helpers = []
        if self.counts is not None:
            helpers.append(asyncio.create_task(self.counts.write_forever(), name=f"{name}: counts"))
        if self.terms.notify_url is not None and self.terms.notify_topic is not None:
            listener = listen(self.terms.notify_url, self.terms.notify_topic, lambda _: self.notify())
            helpers.append(asyncio.create_task(listener, name=f"{name}: listen"))
        stopping = asyncio.create_task(stop.wait())
        try:
            # A task that ends by itself ended with an unforeseen error: the process ends with it and is restarted.
            await asyncio.wait([*loops, *helpers, stopping], return_when=asyncio.FIRST_COMPLETED)
            if stop.is_set():
                # Steps that talk to the store are not cancelled: they end by themselves, unless the store is silent.
                for event in (self._arrived, self._due, self._done):
                    event.set()
                await asyncio.wait(loops, timeout=_STEP_SECONDS)
        finally:
            for task in (*loops, *helpers, stopping):
                task.cancel()
            ended = await asyncio.gather(*loops, *helpers, return_exceptions=True)
            await self._finish()
        for error in ended:
            if isinstance(error, BaseException) and not isinstance(error, asyncio.CancelledError):
                raise error

    async def run_until_idle(self) -> None:
        """Work until nothing is due."""
        while True:
            worked = await self.fan_out()
            worked = await self.dispatch() or worked
            if self._sending:
                await asyncio.wait(self._sending)
            worked = await self.record() or worked
            if not worked:
                if self.counts is not None:
                    await self.counts.write()
                return

    def notify(self) -> None:
        """Make the engine look at once: there are new messages, or something is due."""
        self._arrived.set()
        self._due.set()

    async def fan_out(self) -> bool:
        """Make deliveries of some messages; whether there may be more."""
        messages, deliveries = await self.queue.fan_out(self._now())
        if deliveries:
            self._due.set()
        return messages > 0

    async def dispatch(self) -> bool:
        """Lease what is due, as far as there are places, and start to send it; whether there may be more."""
        if self.pace.free <= 0:
            return False
        began = time.perf_counter()
        now = self._now()
        ready = await self._ready(now)
        caps = self.pace.caps([receiver.id for receiver in ready])
        wanted = [(receiver, cap) for receiver, cap in zip(ready, caps, strict=True) if cap > 0]
        if not wanted:
            return False
        claimed = await self.queue.claim(wanted, lease=uuid4(), now=now, lease_end=now + self._lease)
        by_id = {receiver.id: receiver for receiver in ready}
        for delivery in claimed:
            self.pace.begin(delivery.receiver_id)
            task = asyncio.create_task(self._send(delivery, by_id[delivery.receiver_id]))
            self._sending.add(task)
            task.add_done_callback(self._sending.discard)
        # With very many receivers a look takes time: spend at most half of the time on it.
        await asyncio.sleep(max(_GATHER_SECONDS, time.perf_counter() - began))
        return bool(claimed)

    async def record(self) -> bool:
        """Write down some results; whether there were any."""
        results, self._results = self._results[:_RESULTS_AT_ONCE], self._results[_RESULTS_AT_ONCE:]
        if not results:
            return False
        try:
            counted = await self.queue.record(results)
        except BaseException:  # a cancelled write loses no result
            self._results = [*results, *self._results]
            raise
        if counted < len(results):
            LOG.warning("%s: %d attempts ended after their lease", self.terms.name, len(results) - counted)
        return True

    async def _ready(self, now: datetime) -> list[R]:
        """Receivers for whom something is due, starting after the last one served."""
        saturated = [*self.pace.saturated(), *self._unreachable]
        found = await self.queue.ready(now, after=self._after, saturated=saturated, receivers=_RECEIVERS_AT_ONCE)
        if len(found) < _RECEIVERS_AT_ONCE and self._after is not None:
            known = {receiver.id for receiver in found}
            again = await self.queue.ready(now, after=None, saturated=saturated, receivers=_RECEIVERS_AT_ONCE)
            found += [receiver for receiver in again if receiver.id not in known]
        # While places are scarce, whoever comes first in the order must not always be served first.
        served = found[: max(self.pace.free, 1)]
        self._after = served[-1].id if served else None
        return found

    async def _send(self, delivery: D, receiver: R) -> None:
        started_at = self._now()
        try:
            attempt = await self.channel.send(receiver, delivery, started_at)
        except Exception:  # a defect of the channel; the delivery is due again when its lease ends
            LOG.exception("%s: a delivery to receiver %s failed unexpectedly", self.terms.name, receiver.id)
            self.pace.cancel(receiver.id)
            return
        if attempt is None:
            self._unreachable.add(receiver.id)
            self.pace.cancel(receiver.id)
            return
        self.pace.end(receiver.id, succeeded=attempt.succeeded, seconds=attempt.total_seconds)
        if self.counts is not None:
            self.counts.add(delivery, attempt)
        ended_at = self._now()
        verdict = self.terms.schedule.judge(
            succeeded=attempt.succeeded,
            final=attempt.final or not delivery.retried,
            attempts=delivery.attempts + 1,
            now=ended_at,
            chance=self.terms.chance(),
        )
        self._results.append(Result(delivery, attempt, verdict, ended_at))
        self._done.set()
        self._due.set()

    async def _repeat(self, stop: asyncio.Event, wake: asyncio.Event, step: Callable[[], Awaitable[bool]]) -> None:
        """Repeat a step until ``stop``: at once while there is more, when woken, and every second."""
        while not stop.is_set():
            wake.clear()
            try:
                while await step() and not stop.is_set():
                    pass
            except StoreUnavailable as error:
                LOG.warning("%s: waiting for the store: %s", self.terms.name, error)
                await asyncio.sleep(self.terms.poll_seconds)
                continue
            # Not wait_for: before Python 3.12 it loses a cancellation that comes in the instant it is woken.
            with suppress(TimeoutError):
                async with asyncio.timeout(self.terms.poll_seconds):
                    await wake.wait()

    async def _finish(self) -> None:
        """Let running attempts end, and write them down as far as the store is there."""
        if self._sending:
            await asyncio.wait(self._sending, timeout=self.terms.limit_seconds + 1)
        try:
            while await self.record():
                pass
            if self.counts is not None:
                await self.counts.write()
        except StoreUnavailable as error:
            LOG.warning(
                "%s: %d attempts are not written down and will be made again: %s",
                self.terms.name,
                len(self._results),
                error,
            )
