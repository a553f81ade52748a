"""What a user of the delivery engine provides, and what passes between the two."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Generic, Protocol, TypeVar
from uuid import UUID

from warehouse.delivery.retries import Verdict


class Receiver(Protocol):
    """Whom deliveries are sent to; each has its own pace."""

    @property
    def id(self) -> UUID:
        """Tells it from other receivers."""
        ...


class Delivery(Protocol):
    """A message for one receiver, leased to this process."""

    @property
    def receiver_id(self) -> UUID:
        """The receiver."""
        ...

    @property
    def attempts(self) -> int:
        """How many attempts were made before."""
        ...

    @property
    def retried(self) -> bool:
        """Whether a failed attempt is followed by another."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """What became of one attempt. Channels add what they want to keep of it.

    Args:
        final: whether another attempt would be pointless, however often the delivery may be retried.
        failure: the kind of failure, in a word for metrics; null: it succeeded.
        problem: the failure in words; null: it succeeded.
    """

    started_at: datetime
    total_seconds: float
    failure: str | None = None
    problem: str | None = None
    final: bool = False

    @property
    def succeeded(self) -> bool:
        """Whether the receiver has the message."""
        return self.failure is None


R = TypeVar("R", bound=Receiver)
D = TypeVar("D", bound=Delivery)
A = TypeVar("A", bound=Attempt)
R_contra = TypeVar("R_contra", bound=Receiver, contravariant=True)
D_contra = TypeVar("D_contra", bound=Delivery, contravariant=True)
A_co = TypeVar("A_co", bound=Attempt, covariant=True)
A_contra = TypeVar("A_contra", bound=Attempt, contravariant=True)


@dataclass(frozen=True, slots=True)
class Result(Generic[D, A]):
    """An attempt and what follows from it."""

    delivery: D
    attempt: A
    verdict: Verdict
    ended_at: datetime


class Channel(Protocol[R_contra, D_contra, A_co]):
    """A way to reach receivers, such as HTTP."""

    async def send(self, receiver: R_contra, delivery: D_contra, started_at: datetime) -> A_co | None:
        """Make one attempt, within the engine's limit. A failure of the receiver is an attempt, not an exception.

        Null means that nothing can be sent to the receiver for a reason that is not its fault. The delivery stays as
        it is, and this process leaves the receiver alone from now on.
        """
        ...


class Queue(Protocol[R, D, A]):
    """Where deliveries are kept. Every step is safe to repeat, and any number of processes may take part.

    A delivery is leased by moving its due time to the end of the lease, so what a dead process had becomes due again.
    A result counts only while the lease holds.
    """

    async def fan_out(self, now: datetime) -> tuple[int, int]:
        """Make deliveries of messages that have none yet; how many messages, and how many deliveries."""
        ...

    async def ready(self, now: datetime, *, after: UUID | None, saturated: Sequence[UUID], receivers: int) -> list[R]:
        """At most ``receivers`` receivers for whom something is due, by ascending id beyond ``after``."""
        ...

    async def claim(
        self, wanted: Sequence[tuple[R, int]], *, lease: UUID, now: datetime, lease_end: datetime
    ) -> list[D]:
        """Lease what is due: for each receiver at most as many deliveries as given with it."""
        ...

    async def record(self, results: Sequence[Result[D, A]]) -> int:
        """Write results down; how many counted."""
        ...


class Counts(Protocol[D_contra, A_contra]):
    """What a user counts of its attempts."""

    def add(self, delivery: D_contra, attempt: A_contra) -> None:
        """Count an attempt."""
        ...

    async def write(self) -> None:
        """Save what was counted."""
        ...

    async def write_forever(self) -> None:
        """Save now and then, until cancelled."""
        ...
