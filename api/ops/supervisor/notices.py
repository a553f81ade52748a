"""Telling operators of parts that go on failing: the supervisor sees what Dagster, the worker and the store cannot
tell of themselves. It needs none of them: what it told is kept in memory, for as long as it runs."""

import logging
import queue
import threading
import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from api.ops.supervisor.part import PartState, Phase
from warehouse.notices.webhook import RETRY_SECONDS, Condition, DeliveryFailed, Event, Webhook, message, send

log = logging.getLogger("regalia.stack")

_Message = tuple[Event, Condition, str, str | None]

PART_FAILING = "part_failing"
STABLE_SECONDS = 60.0
"""A part that is ready for so long has recovered; one that dies again before is the same trouble going on."""


@dataclass(slots=True)
class PartNotices:
    """Sends one message when a part begins to fail again and again, and one when it has recovered.

    Args:
        webhook: the receiver.
        explain: one line on why the part of a name ended.
    """

    webhook: Webhook
    explain: Callable[[str], str]
    stable_seconds: float = STABLE_SECONDS
    retry_seconds: Sequence[float] = RETRY_SECONDS
    _failing: dict[str, tuple[Condition, str]] = field(default_factory=dict)
    _recovering: dict[str, threading.Timer] = field(default_factory=dict)
    _outboxes: dict[str, "queue.SimpleQueue[_Message]"] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def note(self, part: str, current: PartState) -> None:
        """A part entered a phase. Returns at once; sending is a thread's work."""
        with self._lock:
            self._note(part, current)

    def _note(self, part: str, current: PartState) -> None:
        recovering = self._recovering.pop(part, None)
        if recovering is not None:
            recovering.cancel()
        if current.phase is Phase.FAILING and part not in self._failing:
            details = {"part": part, "restarts": current.restarts, "lastExit": current.last_exit}
            condition = Condition(PART_FAILING, part, "error", self.explain(part), details)
            self._failing[part] = (condition, _now())
            self._put("firing", part)
        elif current.phase is Phase.READY and part in self._failing:
            timer = threading.Timer(self.stable_seconds, self._recover, (part,))
            timer.daemon = True
            self._recovering[part] = timer
            timer.start()

    def _recover(self, part: str) -> None:
        with self._lock:
            # Another phase that came in the moment the timer fired has taken it out.
            if self._recovering.get(part) is threading.current_thread():
                del self._recovering[part]
                self._put("resolved", part)
                del self._failing[part]

    def _put(self, event: Event, part: str) -> None:
        condition, started = self._failing[part]
        if part not in self._outboxes:
            # A thread each: what is told of one part is in order, and does not wait for another's.
            self._outboxes[part] = queue.SimpleQueue()
            outbox = self._outboxes[part]
            threading.Thread(target=self._send_forever, args=(outbox,), name=f"notices-{part}", daemon=True).start()
        self._outboxes[part].put((event, condition, started, _now() if event == "resolved" else None))

    def _send_forever(self, outbox: "queue.SimpleQueue[_Message]") -> None:
        while True:
            event, condition, started, resolved = outbox.get()
            body = message(event, condition, started_at=started, resolved_at=resolved)
            key = f"{condition.key}:{uuid.uuid4()}"
            for pause in (*self.retry_seconds, None):
                try:
                    send(self.webhook, body, key)
                    break
                except DeliveryFailed as error:
                    log.warning("the message about %s (%s) was not delivered: %s", condition.subject, event, error)
                if pause is not None:
                    time.sleep(pause)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
