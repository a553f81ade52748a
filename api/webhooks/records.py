"""Rows of webhooks as they leave the store."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from warehouse.delivery.channel import Attempt


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A receiver for whom something is due. ``sealed``: its valid secrets, the current one first."""

    id: UUID
    url: str
    only_tests: bool
    sealed: list[bytes]


@dataclass(frozen=True, slots=True)
class Claimed:
    """A delivery leased to this worker. ``data`` is JSON text; ``recorded_at`` is when its event was written."""

    id: UUID
    receiver_id: UUID
    event_id: UUID | None
    event_type: str
    cause: str
    attempts: int
    lease: UUID
    happened_at: datetime
    recorded_at: datetime | None
    data: str

    @property
    def retried(self) -> bool:
        """Whether a failed attempt is followed by another. Tests are sent once."""
        return self.cause != "test"


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpAttempt(Attempt):
    """A request and what came back. ``status`` null: no answer came."""

    url: str
    request_headers: Mapping[str, str]
    status: int | None
    response_headers: Mapping[str, str] | None
    response_body: str | None
    response_complete: bool | None
    dns_seconds: float | None
    connect_seconds: float | None
    answer_seconds: float | None


@dataclass(frozen=True, slots=True)
class FailingSubscription:
    """A locked subscription of which deliveries failed."""

    id: UUID
    account_id: UUID
    url: str
    status: str
    consecutive_failures: int


@dataclass(frozen=True, slots=True)
class Subscription:
    """A subscription. ``crown_ids`` and ``chain_ids`` null: not narrowed."""

    id: UUID
    url: str
    events: list[str]
    crown_ids: list[int] | None
    chain_ids: list[int] | None
    status: str
    disabled_reason: str | None
    disabled_at: datetime | None
    consecutive_failures: int
    created_at: datetime
    updated_at: datetime
    previous_secret_ends_at: datetime | None


@dataclass(frozen=True, slots=True)
class DeliveryRow:
    """A delivery with the outcome of its last attempt."""

    id: UUID
    event_id: UUID | None
    event_type: str
    cause: str
    status: str
    attempts: int
    due_at: datetime
    created_at: datetime
    finished_at: datetime | None
    last_status: int | None
    last_problem: str | None


@dataclass(frozen=True, slots=True)
class DeliveryWithData(DeliveryRow):
    """A delivery with what it sends. ``data`` is JSON text."""

    happened_at: datetime
    data: str


@dataclass(frozen=True, slots=True)
class AttemptRow:
    """An attempt as it was written down."""

    number: int
    url: str
    request_headers: dict[str, str]
    status: int | None
    response_headers: dict[str, str] | None
    response_body: str | None
    response_complete: bool | None
    failure: str | None
    problem: str | None
    dns_seconds: float | None
    connect_seconds: float | None
    answer_seconds: float | None
    total_seconds: float
    started_at: datetime


@dataclass(frozen=True, slots=True)
class EventCount:
    """How many events of a type were found."""

    type: str
    count: int


@dataclass(frozen=True, slots=True)
class LoggedEvent:
    """An event of the log. ``data`` is JSON text."""

    id: UUID
    type: str
    created_at: datetime
    data: str


def columns(attempt: HttpAttempt) -> dict[str, Any]:
    """An attempt as columns of webhook_attempt."""
    return {
        "url": attempt.url,
        "request_headers": attempt.request_headers,
        "status": attempt.status,
        "response_headers": attempt.response_headers,
        "response_body": attempt.response_body,
        "response_complete": attempt.response_complete,
        "failure": attempt.failure,
        "problem": attempt.problem,
        "dns_seconds": attempt.dns_seconds,
        "connect_seconds": attempt.connect_seconds,
        "answer_seconds": attempt.answer_seconds,
        "total_seconds": attempt.total_seconds,
        "started_at": attempt.started_at,
    }
