"""A small in-process cache: one caller computes, the others wait for it; old values can outlive a failure."""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass
from typing import Generic, TypeVar

from api.http.metrics import Metrics

Value = TypeVar("Value")


@dataclass(slots=True)
class _Entry(Generic[Value]):
    value: Value
    computed_at: float


class Cache(Generic[Value]):
    """Values by key, each computed at most once at a time.

    Args:
        name: label in the metrics.
        ttl_seconds: how long a value is served without a question.
        stale_seconds: how much longer an old value is served while ``failures`` keep a new one from being computed.
        failures: exceptions that an old value may stand in for.
        limit: most entries kept; the least recently used go first.
    """

    def __init__(
        self,
        name: str,
        *,
        ttl_seconds: float,
        metrics: Metrics,
        stale_seconds: float = 0.0,
        failures: tuple[type[Exception], ...] = (),
        limit: int = 10_000,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self.name = name
        self.ttl_seconds = ttl_seconds
        self.stale_seconds = stale_seconds
        self.failures = failures
        self.limit = limit
        self.metrics = metrics
        self._monotonic = monotonic
        self._entries: OrderedDict[Hashable, _Entry[Value]] = OrderedDict()
        self._flights: dict[Hashable, asyncio.Task[Value]] = {}
        self._cleared = 0
        metrics.watch_cache(name, self._entries.__len__)

    async def get(self, key: Hashable, compute: Callable[[], Awaitable[Value]], *, refresh: bool = False) -> Value:
        """The value of ``key``, computed when it is missing or too old; ``refresh`` computes it anyway, beginning after
        this call."""
        entry = self._entries.get(key)
        now = self._monotonic()
        if entry is not None and not refresh and now - entry.computed_at < self.ttl_seconds:
            self._entries.move_to_end(key)
            self.metrics.count_cache(self.name, "hit")
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
        """The value of ``key`` if it is there and fresh; else None, and nothing is counted."""
        entry = self._entries.get(key)
        if entry is None or self._monotonic() - entry.computed_at >= self.ttl_seconds:
            return None
        self._entries.move_to_end(key)
        self.metrics.count_cache(self.name, "hit")
        return entry.value

    def last(self, key: Hashable) -> Value | None:
        """The value of ``key`` as it was last computed, however old, if it is still there; nothing is counted."""
        entry = self._entries.get(key)
        return None if entry is None else entry.value

    def forget(self, key: Hashable) -> None:
        """Drop one value; one that is being computed reaches who waits for it, and is not kept: it may be from before
        what made it out of date."""
        self._entries.pop(key, None)
        self._flights.pop(key, None)

    def put(self, key: Hashable, value: Value) -> None:
        """Keep a value that was computed elsewhere just now."""
        self._keep(key, _Entry(value, self._monotonic()))

    def clear(self) -> None:
        """Drop all values; those that are being computed reach who waits for them, and are not kept."""
        self._cleared += 1
        self._entries.clear()

    async def _fly(self, key: Hashable, compute: Callable[[], Awaitable[Value]], *, anew: bool) -> Value:
        flight = self._flights.get(key)
        if flight is not None and anew:
            # It began before this call, so it may not know what is asked for; all who wait here share the next one.
            await asyncio.wait([flight])
            flight = self._flights.get(key)
        if flight is None:
            flight = asyncio.create_task(self._compute(key, compute))
            self._flights[key] = flight
            flight.add_done_callback(lambda done: self._land(key, done))
        # Shielded: one caller that gives up must not take the value from the others.
        return await asyncio.shield(flight)

    async def _compute(self, key: Hashable, compute: Callable[[], Awaitable[Value]]) -> Value:
        began, cleared = self._monotonic(), self._cleared
        value = await compute()
        if cleared == self._cleared and self._flights.get(key) is asyncio.current_task():
            self._keep(key, _Entry(value, began))
        return value

    def _land(self, key: Hashable, flight: "asyncio.Task[Value]") -> None:
        if self._flights.get(key) is flight:
            del self._flights[key]

    def _keep(self, key: Hashable, entry: _Entry[Value]) -> None:
        self._entries[key] = entry
        self._entries.move_to_end(key)
        while len(self._entries) > self.limit:
            self._entries.popitem(last=False)
