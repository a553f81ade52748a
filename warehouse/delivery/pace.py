"""How many requests each receiver may have at a time, so that slow receivers do not take the places of quick ones.

A receiver starts with a few; every quick success allows one more, every failure or slow answer halves them, down to
one. All slow receivers share a part of the places, so the others find room however many slow ones there are. Each
process observes for itself, and forgets when it ends.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

FIRST_WINDOW: Final = 4
MAX_WINDOW: Final = 32
QUICK_SECONDS: Final = 1.0
"""A slower answer makes its receiver a slow one."""
MAX_REMEMBERED: Final = 10_000
"""Beyond this many, receivers that nothing is sent to are forgotten."""


@dataclass(slots=True)
class _Receiver:
    window: int = FIRST_WINDOW
    working: int = 0
    slow: bool = False


class Pace:
    """The places of one process.

    Args:
        places: the most requests at a time.
        slow_places: the most of them for slow receivers.
    """

    def __init__(self, places: int = 256, slow_places: int = 128) -> None:
        self.places = places
        self.slow_places = slow_places
        self.working = 0
        self.slow_working = 0
        self._receivers: dict[UUID, _Receiver] = {}

    @property
    def free(self) -> int:
        """How many more requests there may be."""
        return self.places - self.working

    def saturated(self) -> list[UUID]:
        """Receivers that may have no further request now."""
        return [id for id, receiver in self._receivers.items() if self._room(receiver) == 0]

    def caps(self, ids: Sequence[UUID]) -> list[int]:
        """How many more requests each receiver may have: together no more than there are free places, and the slow ones
        no more than their share."""
        caps: list[int] = []
        free, slow_free = self.free, self.slow_places - self.slow_working
        for id in ids:
            receiver = self._receivers.get(id) or _Receiver()
            cap = min(self._room(receiver), free)
            if receiver.slow:
                cap = min(cap, max(slow_free, 0))
                slow_free -= cap
            free -= cap
            caps.append(cap)
        return caps

    def begin(self, id: UUID) -> None:
        """A request to a receiver starts."""
        receiver = self._receivers.setdefault(id, _Receiver())
        receiver.working += 1
        self.working += 1
        self.slow_working += receiver.slow

    def end(self, id: UUID, *, succeeded: bool, seconds: float) -> None:
        """A request has ended."""
        receiver = self._receivers[id]
        self._count(receiver, -1)
        quick = succeeded and seconds <= QUICK_SECONDS
        if quick:
            receiver.window = min(receiver.window + 1, MAX_WINDOW)
        else:
            receiver.window = max(receiver.window // 2, 1)
        self._mark(receiver, slow=seconds > QUICK_SECONDS)
        if len(self._receivers) > MAX_REMEMBERED and receiver.working == 0:
            del self._receivers[id]

    def cancel(self, id: UUID) -> None:
        """A request was not made after all."""
        self._count(self._receivers[id], -1)

    def _room(self, receiver: _Receiver) -> int:
        if receiver.slow and self.slow_working >= self.slow_places:
            return 0
        return max(receiver.window - receiver.working, 0)

    def _count(self, receiver: _Receiver, by: int) -> None:
        receiver.working += by
        self.working += by
        self.slow_working += by * receiver.slow

    def _mark(self, receiver: _Receiver, *, slow: bool) -> None:
        """Note whether it is slow, and count its running requests accordingly."""
        if slow != receiver.slow:
            receiver.slow = slow
            self.slow_working += receiver.working if slow else -receiver.working
