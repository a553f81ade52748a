"""The delivery engine: one in each worker process, any number of them beside each other.

Three loops over the queue in the store: events become deliveries, due deliveries are leased and sent, results are
written down many at a time. A loop goes on when it is told to and looks by itself every second; with the store away
they wait, and results are kept until it is back.
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID, uuid4

from api.clock import Clock
from api.outbound.client import LIMIT_SECONDS, Outbound
from api.security.sealing import Sealer, Unsealable
from api.webhooks import signing
from api.webhooks.attempts import result_of, waited_seconds
from api.webhooks.counts import Counts
from api.webhooks.pace import Pace
from api.webhooks.queue import CHANNEL, DeliveryQueue
from api.webhooks.records import Claimed, Endpoint, Result
from warehouse.errors import StoreUnavailable
from warehouse.notifications import listen
from warehouse.store import Store

LOG = logging.getLogger(__name__)

LEASE_SECONDS: Final = 20.0
"""How long a worker that died keeps others from its deliveries; several times what an attempt may take."""
POLL_SECONDS: Final = 1.0
_STEP_SECONDS: Final = 3.0
"""How long the step that is under way has to end when the worker stops."""
_GATHER_SECONDS: Final = 0.01
"""So long places that come free are gathered before more is leased."""
_RECEIVERS_AT_ONCE: Final = 256
_RESULTS_AT_ONCE: Final = 256
_FIRST = UUID(int=0)


class DeliveryEngine:
    """Sends what is due.

    Args:
        listen_url: the store, for being told at once; without it the engine only looks every second.
        user_agent: what receivers are told.
        lease_seconds: longer than ``limit_seconds``, by what it takes to write a result down.
    """

    def __init__(
        self,
        store: Store,
        outbound: Outbound,
        sealer: Sealer,
        clock: Clock,
        *,
        user_agent: str,
        listen_url: str | None = None,
        pace: Pace | None = None,
        lease_seconds: float = LEASE_SECONDS,
        limit_seconds: float = LIMIT_SECONDS,
    ) -> None:
        self.queue = DeliveryQueue(store)
        self.counts = Counts(store)
        self.pace = pace or Pace()
        self._outbound = outbound
        self._sealer = sealer
        self._clock = clock
        self._user_agent = user_agent
        self._listen_url = listen_url
        self._lease = timedelta(seconds=lease_seconds)
        self._limit_seconds = limit_seconds
        self._after = _FIRST
        self._unreadable: set[UUID] = set()
        self._sending: set[asyncio.Task[None]] = set()
        self._results: list[Result] = []
        self._told = asyncio.Event()
        self._due = asyncio.Event()
        self._done = asyncio.Event()

    async def run(self, stop: asyncio.Event) -> None:
        """Work until ``stop``; then let what is under way end, and write it down."""
        loops = [
            asyncio.create_task(self._repeat(stop, self._told, self.fan_out), name="webhooks: fan out"),
            asyncio.create_task(self._repeat(stop, self._due, self.dispatch), name="webhooks: dispatch"),
            asyncio.create_task(self._repeat(stop, self._done, self.record), name="webhooks: record"),
            asyncio.create_task(self.counts.write_forever(), name="webhooks: counts"),
        ]
        if self._listen_url is not None:
            loops.append(asyncio.create_task(listen(self._listen_url, CHANNEL, self.tell), name="webhooks: listen"))
        stopping = asyncio.create_task(stop.wait())
        try:
            # A loop ends with an error that nobody foresaw: the process is to end with it and be started again.
            await asyncio.wait([*loops, stopping], return_when=asyncio.FIRST_COMPLETED)
            if stop.is_set():
                # Nothing is broken off between the store and here: a step ends by itself, or the store is silent.
                for event in (self._told, self._due, self._done):
                    event.set()
                await asyncio.wait(loops[:3], timeout=_STEP_SECONDS)
        finally:
            for task in (*loops, stopping):
                task.cancel()
            ended = await asyncio.gather(*loops, return_exceptions=True)
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
                await self.counts.write()
                return

    def tell(self) -> None:
        """Have it look at once: something has happened or is due."""
        self._told.set()
        self._due.set()

    async def fan_out(self) -> bool:
        """Make deliveries of some events; whether there may be more."""
        events, deliveries = await self.queue.fan_out(self._clock.now())
        if deliveries:
            self._due.set()
        return events > 0

    async def dispatch(self) -> bool:
        """Lease what is due, as far as there are places, and begin to send it; whether there may be more."""
        if self.pace.free <= 0:
            return False
        began = time.perf_counter()
        now = self._clock.now()
        ready = await self._ready(now)
        caps = self.pace.caps([endpoint.id for endpoint in ready])
        wanted = [(endpoint, cap) for endpoint, cap in zip(ready, caps, strict=True) if cap > 0]
        if not wanted:
            return False
        claimed = await self.queue.claim(wanted, lease=uuid4(), now=now, lease_end=now + self._lease)
        by_id = {endpoint.id: endpoint for endpoint in ready}
        for one in claimed:
            self.pace.begin(one.subscription_id)
            task = asyncio.create_task(self._send(one, by_id[one.subscription_id]))
            self._sending.add(task)
            task.add_done_callback(self._sending.discard)
        # With very many receivers a look takes time: at most half of it goes there.
        await asyncio.sleep(max(_GATHER_SECONDS, time.perf_counter() - began))
        return bool(claimed)

    async def record(self) -> bool:
        """Write down what has come back; whether there was anything."""
        results, self._results = self._results[:_RESULTS_AT_ONCE], self._results[_RESULTS_AT_ONCE:]
        if not results:
            return False
        try:
            counted = await self.queue.record(results)
        except BaseException:
            self._results = [*results, *self._results]
            raise
        if counted < len(results):
            LOG.warning("%d attempts came back after their lease had ended", len(results) - counted)
        return True

    async def _ready(self, now: datetime) -> list[Endpoint]:
        """Receivers for whom something is due, beginning after the one that was looked at last time."""
        saturated = [*self.pace.saturated(), *self._unreadable]
        found = await self.queue.ready(now, after=self._after, saturated=saturated, receivers=_RECEIVERS_AT_ONCE)
        if len(found) < _RECEIVERS_AT_ONCE and self._after != _FIRST:
            known = {endpoint.id for endpoint in found}
            again = await self.queue.ready(now, after=_FIRST, saturated=saturated, receivers=_RECEIVERS_AT_ONCE)
            found += [endpoint for endpoint in again if endpoint.id not in known]
        # As long as places are scarce, whoever comes first in the order must not always be served first.
        served = found[: max(self.pace.free, 1)]
        self._after = served[-1].id if served else _FIRST
        return found

    async def _send(self, claimed: Claimed, endpoint: Endpoint) -> None:
        secrets = self._secrets(endpoint)
        if secrets is None:
            # Not the receiver's fault and no attempt: the lease ends, and an operator has been told.
            self.pace.cancel(endpoint.id)
            return
        started = self._clock.now()
        id = signing.envelope_id(claimed.event_id, claimed.id)
        body = signing.envelope(id, claimed.event_type, claimed.happened_at, claimed.data)
        headers = signing.signed_headers(
            body=body,
            id=id,
            type=claimed.event_type,
            created_at=claimed.happened_at,
            sent_at=started,
            secrets=secrets,
            user_agent=self._user_agent,
        )
        answer = await self._outbound.post(endpoint.url, body, headers, self._limit_seconds)
        self.pace.end(endpoint.id, succeeded=answer.succeeded, seconds=answer.timing.total_seconds)
        self.counts.add(answer, waited_seconds(claimed, started))
        self._results.append(result_of(claimed, endpoint.url, headers, started, answer, self._clock.now()))
        self._done.set()
        self._due.set()

    def _secrets(self, endpoint: Endpoint) -> list[str] | None:
        try:
            return [self._sealer.unseal(sealed, str(endpoint.id)).decode() for sealed in endpoint.sealed]
        except Unsealable as error:
            if endpoint.id not in self._unreadable:
                LOG.error("webhook %s is not served: its secret is %s", endpoint.id, error)
                self._unreadable.add(endpoint.id)
            return None

    async def _repeat(self, stop: asyncio.Event, told: asyncio.Event, step: Callable[[], Awaitable[bool]]) -> None:
        """Take a step again and again until ``stop``: at once while there is more, when told, and every second."""
        while not stop.is_set():
            told.clear()
            try:
                while await step() and not stop.is_set():
                    pass
            except StoreUnavailable as error:
                LOG.warning("webhooks wait for the store: %s", error)
                await asyncio.sleep(POLL_SECONDS)
                continue
            # Not wait_for: before Python 3.12 it loses a cancellation that comes in the instant it is told.
            with suppress(TimeoutError):
                async with asyncio.timeout(POLL_SECONDS):
                    await told.wait()

    async def _finish(self) -> None:
        """Let what is being sent end, and write it down as far as the store is there."""
        if self._sending:
            await asyncio.wait(self._sending, timeout=self._limit_seconds + 1)
        try:
            while await self.record():
                pass
            await self.counts.write()
        except StoreUnavailable as error:
            LOG.warning("%d attempts are not written down and will be made again: %s", len(self._results), error)
