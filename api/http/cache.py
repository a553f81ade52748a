"""An in-process cache: one caller computes a value, the others wait for it (single-flight), and a stale value can be
served while it is computed again or while that fails."""

import asyncio
import logging
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass
from typing import Generic, TypeVar

from api.http.metrics import Metrics

LOG = logging.getLogger(__name__)
Value = TypeVar("Value")


@dataclass(slots=True)
class _Entry(Generic[Value]):
    value: Value
    computed_at: float


class Cache(Generic[Value]):
    """Values by key, each computed at most once at a time.

    Args:
        name: label in the metrics.
        ttl_seconds: how long a value is fresh.
        stale_seconds: how much longer a stale value may be served instead of one of ``failures``.
        failures: exceptions for which a stale value may be served.
        revalidates: a stale value is served at once, and computed again in the background.
        limit: entries kept; the least recently used are dropped.
    """

    def __init__(
        self,
        name: str,
        *,
        ttl_seconds: float,
        metrics: Metrics,
        stale_seconds: float = 0.0,
        failures: tuple[type[Exception], ...] = (),
        revalidates: bool = False,
        limit: int = 10_000,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self.name = name
        self.ttl_seconds = ttl_seconds
        self.stale_seconds = stale_seconds
        self.failures = failures
        self.revalidates = revalidates
        self.limit = limit
        self.metrics = metrics
        self._monotonic = monotonic
        self._entries: OrderedDict[Hashable, _Entry[Value]] = OrderedDict()
        self._flights: dict[Hashable, asyncio.Task[Value]] = {}
        self._cleared = 0
        metrics.watch_cache(name, self._entries.__len__)

    async def get(self, key: Hashable, compute: Callable[[], Awaitable[Value]], *, refresh: bool = False) -> Value:
        """The value of ``key``, computed when it is missing or stale. With ``refresh`` it is computed in any case, by a
        computation that starts after this call."""
        entry = self._entries.get(key)
        now = self._monotonic()
        if entry is not None and not refresh:
            age = now - entry.computed_at
            if age < self.ttl_seconds:
                self._entries.move_to_end(key)
                self.metrics.count_cache(self.name, "hit")
                return entry.value
            if self.revalidates and age < self.ttl_seconds + self.stale_seconds:
                self.metrics.count_cache(self.name, "stale")
                if key not in self._flights:
                    self._start(key, compute)
                return entry.value
        self.metrics.count_cache(self.name, "miss")
        try:
            return await self._fly(key, compute, anew=refresh)
        except self.failures:
            if entry is not None and now - entry.computed_at < self.ttl_seconds + self.stale_seconds:
                self.metrics.count_cache(self.name, "stale")
                return entry.value
            raise

    def peek(self, key: Hashable) -> Value | None:
        """The value of ``key`` if it is fresh, counted as a hit; else None."""
        entry = self._entries.get(key)
        if entry is None or self._monotonic() - entry.computed_at >= self.ttl_seconds:
            return None
        self._entries.move_to_end(key)
        self.metrics.count_cache(self.name, "hit")
        return entry.value

    def forget(self, key: Hashable) -> None:
        """Drop one value. One that is being computed is given to its callers and not kept: what it read may be
        outdated."""
        self._entries.pop(key, None)
        self._flights.pop(key, None)

    def forget_matching(self, matches: Callable[[Value], bool]) -> None:
        """Drop the values that match. Those that are being computed are not kept: whether they match is not known."""
        for key in [key for key, entry in self._entries.items() if matches(entry.value)]:
            del self._entries[key]
        self._flights.clear()

    def put(self, key: Hashable, value: Value) -> None:
        """Keep a value that was computed elsewhere just now."""
        self._keep(key, _Entry(value, self._monotonic()))

    def clear(self) -> None:
        """Drop all values. Those that are being computed are given to their callers and not kept."""
        self._cleared += 1
        self._entries.clear()

    async def _fly(self, key: Hashable, compute: Callable[[], Awaitable[Value]], *, anew: bool) -> Value:
        flight = self._flights.get(key)
        if flight is not None and anew:
            # It started before this call and may have read older data; all callers that wait here share the next one.
            await asyncio.wait([flight])
            flight = self._flights.get(key)
        if flight is None:
            flight = self._start(key, compute)
        # Shielded: a caller that is cancelled must not cancel the computation for the others.
        return await asyncio.shield(flight)

    def _start(self, key: Hashable, compute: Callable[[], Awaitable[Value]]) -> asyncio.Task[Value]:
        flight = self._flights[key] = asyncio.create_task(self._compute(key, compute))
        flight.add_done_callback(lambda done: self._land(key, done))
        return flight

    async def _compute(self, key: Hashable, compute: Callable[[], Awaitable[Value]]) -> Value:
        began, cleared = self._monotonic(), self._cleared
        value = await compute()
        if cleared == self._cleared and self._flights.get(key) is asyncio.current_task():
            self._keep(key, _Entry(value, began))
        return value

    def _land(self, key: Hashable, flight: "asyncio.Task[Value]") -> None:
        if self._flights.get(key) is flight:
            del self._flights[key]
        if not flight.cancelled() and flight.exception() is not None:
            LOG.debug("%s: not computed: %s", self.name, flight.exception())  # callers, if any, get the exception

    def _keep(self, key: Hashable, entry: _Entry[Value]) -> None:
        self._entries[key] = entry
        self._entries.move_to_end(key)
        while len(self._entries) > self.limit:
            self._entries.popitem(last=False)
