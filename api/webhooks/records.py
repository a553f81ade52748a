"""What passes between the queue in the store and the engine."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A receiver for whom something is due. ``sealed``: its valid secrets, the current one first."""

    id: UUID
    url: str
    only_tests: bool
    sealed: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Claimed:
    """A delivery that is leased to this worker. ``data`` is JSON text; ``recorded_at`` when its event was written."""

    id: UUID
    subscription_id: UUID
    event_id: UUID | None
    event_type: str
    cause: str
    attempts: int
    happened_at: datetime
    recorded_at: datetime | None
    data: str
    lease: UUID


@dataclass(frozen=True, slots=True)
class Result:
    """An attempt and what follows from it; ``attempt`` are columns of webhook_attempt."""

    claimed: Claimed
    verdict: str
    due_at: datetime | None
    ended_at: datetime
    status: int | None
    attempt: dict[str, Any]
