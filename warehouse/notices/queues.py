"""Where notices wait: in the store, or in memory for the process that watches the store itself."""

import logging
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final
from uuid import UUID, uuid4

from warehouse import postgres
from warehouse.delivery.channel import Attempt, Result
from warehouse.notices.channel import Notice, Operators
from warehouse.notices.webhook import Webhook
from warehouse.postgres import Connection

LOG = logging.getLogger(__name__)
_MAX_AT_ONCE: Final = 50
_STATUSES: Final = {"pending": "waiting", "delivered": "delivered", "exhausted": "given_up"}


class StoredNotices:
    """Messages in the store, for one call that sends what is due. Several callers share the work.

    Its statements are not async: the call has an event loop of its own, and one message is sent at a time. After a
    failure the rest waits for the next call, so a receiver that is down costs one attempt a call.
    """

    def __init__(self, store: Connection, webhook: Webhook) -> None:
        self.delivered = 0
        self._store = store
        self._operators = Operators(webhook)
        self._failed = False

    async def fan_out(self, now: datetime) -> tuple[int, int]:
        """Messages are recorded as deliveries already."""
        return 0, 0

    async def ready(
        self, now: datetime, *, after: UUID | None, saturated: Sequence[UUID], receivers: int
    ) -> list[Operators]:
        """The operators, until an attempt fails or the call has sent enough."""
        return [] if self._failed or self.delivered >= _MAX_AT_ONCE else [self._operators]

    async def claim(
        self, wanted: Sequence[tuple[Operators, int]], *, lease: UUID, now: datetime, lease_end: datetime
    ) -> list[Notice]:
        """Lease the oldest message that is due."""
        parameters = {"now": now, "lease_end": lease_end}
        rows = postgres.run(self._store, "notices/claim", parameters)
        return [Notice(str(row["id"]), row["body"], row["attempts"]) for row in rows]

    async def record(self, results: Sequence[Result[Notice, Attempt]]) -> int:
        """Write attempts down. The number of attempts made before is what makes that safe to repeat."""
        counted = 0
        for result in results:
            over = result.verdict.status != "pending"
            parameters = {
                "id": result.delivery.key,
                "attempts": result.delivery.attempts,
                "status": _STATUSES[result.verdict.status],
                "due_at": result.verdict.due_at,
                "problem": result.attempt.problem,
                "finished_at": result.ended_at if over else None,
            }
            counted += postgres.execute(self._store, "notices/save_attempt", parameters)
            self.delivered += result.attempt.succeeded
            if not result.attempt.succeeded:
                self._failed = True
                _warn(result)
        return counted


@dataclass(frozen=True, slots=True)
class _Waiting:
    subject: str
    notice: Notice
    due_at: datetime


class NoticesInMemory:
    """Messages in memory, for as long as the process runs. ``put`` may be called from any thread.

    Messages about one subject are sent in their order, and do not wait for those about another.
    """

    def __init__(self, webhook: Webhook) -> None:
        self._operators = Operators(webhook)
        self._waiting: list[_Waiting] = []
        self._lock = threading.Lock()

    def put(self, subject: str, body: Mapping[str, Any], now: datetime) -> None:
        """Add a message."""
        with self._lock:
            self._waiting.append(_Waiting(subject, Notice(f"{subject}:{uuid4()}", body, 0), now))

    async def fan_out(self, now: datetime) -> tuple[int, int]:
        """Messages are deliveries already."""
        return 0, 0

    async def ready(
        self, now: datetime, *, after: UUID | None, saturated: Sequence[UUID], receivers: int
    ) -> list[Operators]:
        """The operators, if a message is due and they may have another request."""
        with self._lock:
            due = self._due(now) and self._operators.id not in saturated
        return [self._operators] if due else []

    async def claim(
        self, wanted: Sequence[tuple[Operators, int]], *, lease: UUID, now: datetime, lease_end: datetime
    ) -> list[Notice]:
        """Lease the first message of each subject that is due."""
        with self._lock:
            claimed = self._due(now)[: wanted[0][1]]
            self._waiting = [replace(one, due_at=lease_end) if one in claimed else one for one in self._waiting]
        return [one.notice for one in claimed]

    async def record(self, results: Sequence[Result[Notice, Attempt]]) -> int:
        """Keep what is to be tried again, and forget the rest."""
        ended = {result.delivery.key: result for result in results}
        with self._lock:
            self._waiting = [after for one in self._waiting if (after := _after(one, ended)) is not None]
        for result in results:
            if not result.attempt.succeeded:
                _warn(result)
        return len(results)

    def _due(self, now: datetime) -> list[_Waiting]:
        first: dict[str, _Waiting] = {}
        for one in self._waiting:
            first.setdefault(one.subject, one)
        return [one for one in first.values() if one.due_at <= now]


def _after(waiting: _Waiting, ended: Mapping[str, Result[Notice, Attempt]]) -> _Waiting | None:
    result = ended.get(waiting.notice.key)
    if result is None:
        return waiting
    if result.verdict.due_at is None:
        return None
    notice = replace(waiting.notice, attempts=waiting.notice.attempts + 1)
    return replace(waiting, notice=notice, due_at=result.verdict.due_at)


def _warn(result: Result[Notice, Attempt]) -> None:
    attempts = result.delivery.attempts + 1
    LOG.warning("notice %s was not delivered (attempt %d): %s", result.delivery.key, attempts, result.attempt.problem)
