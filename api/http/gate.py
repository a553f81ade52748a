"""A gate: how many requests of one admission class run, and the queue before it."""

import asyncio
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from typing import Final

QUEUED_PER_SLOT: Final = 16
"""Requests that may wait for each slot."""
STANDING_SECONDS: Final = 0.2
"""A queue is a standing queue (as in CoDel) when its oldest request has waited this long and it still grows."""
GROWING_SECONDS: Final = 0.1
"""A queue grows when more requests joined than left it in this time. A burst, however large, only shrinks."""
STANDING_FOR_SECONDS: Final = 10.0
"""A standing queue is treated as one for this long, unless it empties."""
STANDING_PATIENCE: Final = 0.025
"""Part of the usual patience that a standing queue allows."""


class Rejected(Exception):
    """The request gets no slot; ``reason`` is ``queue_full`` or ``waited_too_long``."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Gate:
    """The slots of one class, and its queue.

    A burst is served in order of arrival. A standing queue is served newest first, with little patience: the clients
    that waited longest are the most likely to have left, and serving them first would make all others wait as long.

    Args:
        slots: requests that may run at a time.
        patience_seconds: longest wait in a queue that is not a standing queue.
        max_queued: requests that may wait.
    """

    def __init__(
        self,
        slots: int,
        *,
        patience_seconds: float,
        max_queued: int | None = None,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self.slots = slots
        self.patience_seconds = patience_seconds
        self.max_queued = slots * QUEUED_PER_SLOT if max_queued is None else max_queued
        self.running = 0
        self._waiting: OrderedDict[asyncio.Future[None], tuple[asyncio.TimerHandle, float]] = OrderedDict()
        self._monotonic = monotonic
        self._standing_until = 0.0
        self._joined: deque[float] = deque()
        self._left: deque[float] = deque()

    @property
    def waiting(self) -> int:
        """Requests in the queue."""
        return len(self._waiting)

    @property
    def standing(self) -> bool:
        """Whether more requests arrive than can be served."""
        if not self._waiting:
            self._standing_until = 0.0
            self._joined.clear()
            self._left.clear()
            return False
        now = self._monotonic()
        if now >= self._standing_until and now - self._oldest_joined() >= STANDING_SECONDS and self._grows(now):
            self._standing_until = now + STANDING_FOR_SECONDS
        return now < self._standing_until

    def _grows(self, now: float) -> bool:
        for moments in (self._joined, self._left):
            while moments and moments[0] <= now - GROWING_SECONDS:
                moments.popleft()
        return len(self._joined) > len(self._left)

    def _oldest_joined(self) -> float:
        return self._waiting[next(iter(self._waiting))][1]

    async def enter(self) -> None:
        """Take a slot; ``leave`` gives it back.

        Raises:
            Rejected: none is free, and none became free in time.
        """
        if self.running < self.slots and not self._waiting:
            self.running += 1
            return
        self._joined.append(self._monotonic())
        slot = self._enqueue()
        try:
            await slot
        except asyncio.CancelledError:
            given = slot.done() and not slot.cancelled() and slot.exception() is None
            if not self._forget(slot) and given:
                self.leave()  # the slot was given in the same moment
            raise

    def leave(self) -> None:
        """Give a slot back, or hand it to the next in the queue."""
        standing = self.standing
        if standing:
            self._reject_stale()
        while self._waiting:
            slot, (timer, _) = self._waiting.popitem(last=standing)
            timer.cancel()
            if not slot.done():
                self._left.append(self._monotonic())
                slot.set_result(None)
                return
        self.running -= 1

    def _enqueue(self) -> "asyncio.Future[None]":
        standing = self.standing
        if len(self._waiting) >= self.max_queued:
            if not standing:
                raise Rejected("queue_full")
            self._reject(next(iter(self._waiting)), "queue_full")
        loop = asyncio.get_running_loop()
        slot: asyncio.Future[None] = loop.create_future()
        patience = self.patience_seconds * (STANDING_PATIENCE if standing else 1)
        self._waiting[slot] = loop.call_later(patience, self._reject, slot, "waited_too_long"), self._monotonic()
        return slot

    def _reject_stale(self) -> None:
        """Reject requests that joined before the queue was a standing one and have waited longer than it allows: newer
        ones are served before them."""
        longest = self._monotonic() - self.patience_seconds * STANDING_PATIENCE
        while self._waiting and self._oldest_joined() < longest:
            self._reject(next(iter(self._waiting)), "waited_too_long")

    def _reject(self, slot: "asyncio.Future[None]", reason: str) -> None:
        if self._forget(slot) and not slot.done():
            slot.set_exception(Rejected(reason))

    def _forget(self, slot: "asyncio.Future[None]") -> bool:
        """Remove a request from the queue; False if it was not there."""
        found = self._waiting.pop(slot, None)
        if found is None:
            return False
        found[0].cancel()
        return True
