"""Notices about parts of the stack that keep failing.

The supervisor sees what Dagster, the worker and the store cannot report of themselves. It needs none of them: messages
wait in memory, for as long as it runs, and a thread of its own sends them.
"""

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from api.ops.supervisor.part import PartState, Phase
from warehouse.delivery.engine import DeliveryEngine
from warehouse.delivery.retries import RetrySchedule
from warehouse.notices.channel import NoticeChannel
from warehouse.notices.conditions import Change, Condition, iso, message
from warehouse.notices.queues import NoticesInMemory
from warehouse.notices.webhook import RETRIES, TERMS, Webhook

PART_FAILING = "part_failing"
STABLE_SECONDS = 60.0
"""A part that was ready for this long has recovered; one that ends before is still in the same trouble."""


@dataclass(slots=True)
class PartNotices:
    """Sends one message when a part starts to fail again and again, and one when it has recovered.

    Args:
        webhook: the receiver.
        explain: one line on why the part of a name ended.
    """

    webhook: Webhook
    explain: Callable[[str], str]
    stable_seconds: float = STABLE_SECONDS
    retries: RetrySchedule = RETRIES
    _failing: dict[str, tuple[Condition, datetime]] = field(default_factory=dict)
    _recovering: dict[str, threading.Timer] = field(default_factory=dict)
    _sender: "_Sender | None" = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def note(self, part: str, current: PartState) -> None:
        """A part entered a phase. Returns at once."""
        with self._lock:
            self._note(part, current)

    def _note(self, part: str, current: PartState) -> None:
        recovering = self._recovering.pop(part, None)
        if recovering is not None:
            recovering.cancel()
        if current.phase is Phase.FAILING and part not in self._failing:
            details = {"part": part, "restarts": current.restarts, "lastExit": current.last_exit}
            condition = Condition(PART_FAILING, part, "error", self.explain(part), details)
            self._failing[part] = (condition, datetime.now(UTC))
            self._send("firing", part)
        elif current.phase is Phase.READY and part in self._failing:
            timer = threading.Timer(self.stable_seconds, self._recover, (part,))
            timer.daemon = True
            self._recovering[part] = timer
            timer.start()

    def _recover(self, part: str) -> None:
        with self._lock:
            # If the part entered another phase at the moment the timer fired, the timer is not there any more.
            if self._recovering.get(part) is threading.current_thread():
                del self._recovering[part]
                self._send("resolved", part)
                del self._failing[part]

    def _send(self, change: Change, part: str) -> None:
        condition, started = self._failing[part]
        resolved_at = iso(datetime.now(UTC)) if change == "resolved" else None
        if self._sender is None:
            self._sender = _Sender(self.webhook, self.retries)
        self._sender.put(condition.key, message(change, condition, started_at=iso(started), resolved_at=resolved_at))


class _Sender:
    """The delivery engine in a thread of its own. A thread that died is started again with the next message."""

    def __init__(self, webhook: Webhook, retries: RetrySchedule) -> None:
        self._queue = NoticesInMemory(webhook)
        shortest = min((pause.total_seconds() for pause in retries.pauses), default=1.0)
        self._terms = replace(TERMS, schedule=retries, poll_seconds=min(TERMS.poll_seconds, shortest))
        self._notify: Callable[[], object] | None = None
        self._thread: threading.Thread | None = None

    def put(self, subject: str, body: dict[str, object]) -> None:
        """Add a message."""
        self._queue.put(subject, body, datetime.now(UTC))
        if self._thread is None or not self._thread.is_alive():
            self._notify = None
            self._thread = threading.Thread(target=lambda: asyncio.run(self._work()), name="notices", daemon=True)
            self._thread.start()
        elif self._notify is not None:
            with suppress(RuntimeError):  # the loop was closed in this instant; the message waits for the next one
                self._notify()

    async def _work(self) -> None:
        loop = asyncio.get_running_loop()
        engine = DeliveryEngine(self._queue, NoticeChannel(), self._terms, lambda: datetime.now(UTC))
        self._notify = lambda: loop.call_soon_threadsafe(engine.notify)
        await engine.run(asyncio.Event())
