"""Conditions and the messages about them, in the store: recorded together, sent afterwards, safe to repeat.

A condition that goes on is told once; when it ends, that is told once; when it appears again, a new episode begins.
Who notices it does not matter, nor how often: the same report changes nothing.
"""

import logging
from collections.abc import Iterable
from datetime import UTC, datetime

from warehouse.notices.webhook import RETRY_SECONDS, Condition, DeliveryFailed, Event, Webhook, message, send
from warehouse.postgres import Connection, Jsonb

LOG = logging.getLogger(__name__)

KEPT_DAYS = 30
_AT_ONCE = 50

_REPORT = """
INSERT INTO operator_alert AS alert (key, kind, subject, severity, summary, details, firing)
VALUES (%(key)s, %(kind)s, %(subject)s, %(severity)s, %(summary)s, %(details)s, true)
ON CONFLICT (key) DO UPDATE SET
    severity = excluded.severity, summary = excluded.summary, details = excluded.details,
    firing = true, seen_at = now(), resolved_at = NULL,
    episode = alert.episode + CASE WHEN alert.firing THEN 0 ELSE 1 END,
    started_at = CASE WHEN alert.firing THEN alert.started_at ELSE now() END
RETURNING episode, started_at, resolved_at
"""

_RESOLVE = """
UPDATE operator_alert SET firing = false, resolved_at = now()
WHERE key = %s AND firing
RETURNING kind, subject, severity, summary, details, episode, started_at, resolved_at
"""

_RECORD = """
INSERT INTO alert_delivery (alert_key, change_key, body)
VALUES (%s, %s, %s)
ON CONFLICT (change_key) DO NOTHING
"""

# Messages about one condition leave in their order; one that fails holds up no other condition's.
_DUE = """
SELECT id, body, attempts
FROM alert_delivery AS due
WHERE status = 'waiting' AND next_attempt_at <= now() AND NOT EXISTS (
    SELECT FROM alert_delivery AS earlier
    WHERE earlier.alert_key = due.alert_key AND earlier.status = 'waiting' AND earlier.id < due.id
)
ORDER BY id
LIMIT 1
FOR UPDATE SKIP LOCKED
"""

_EXPIRE = """
UPDATE alert_delivery SET status = 'given_up', finished_at = now(), last_error = coalesce(last_error, 'no receiver')
WHERE status = 'waiting' AND created_at < now() - make_interval(secs => %s)
"""

# What was told of a condition that still holds stays: it is what keeps the condition from being told again.
_FORGET = """
DELETE FROM alert_delivery
WHERE finished_at < now() - make_interval(days => %s)
  AND NOT EXISTS (SELECT FROM operator_alert WHERE operator_alert.key = alert_key AND firing)
"""


def report(store: Connection, condition: Condition) -> None:
    """A condition holds. Told once for each episode, and again should it turn from a warning into an error."""
    with store.transaction():
        row = store.execute(
            _REPORT,
            {
                "key": condition.key,
                "kind": condition.kind,
                "subject": condition.subject,
                "severity": condition.severity,
                "summary": condition.summary,
                "details": Jsonb(dict(condition.details)),
            },
        ).fetchone()
        if row is not None:
            _record(store, "firing", condition, row["episode"], row["started_at"], None)


def resolve(store: Connection, key: str) -> None:
    """A condition does not hold, or not any more."""
    with store.transaction():
        row = store.execute(_RESOLVE, (key,)).fetchone()
        if row is not None:
            condition = Condition(row["kind"], row["subject"], row["severity"], row["summary"], row["details"])
            _record(store, "resolved", condition, row["episode"], row["started_at"], row["resolved_at"])


def settle(store: Connection, kind: str, holding: Iterable[Condition]) -> None:
    """All conditions of a kind that hold now; the others of that kind do not."""
    keys = set()
    for condition in holding:
        report(store, condition)
        keys.add(condition.key)
    for row in store.execute("SELECT key FROM operator_alert WHERE kind = %s AND firing", (kind,)).fetchall():
        if row["key"] not in keys:
            resolve(store, row["key"])


def deliver_due(store: Connection, webhook: Webhook | None) -> int:
    """Send the messages that are due; how many were delivered. Several callers share the work.

    After a failure the rest waits for the next call: a receiver that is down costs one attempt a call. Without a
    receiver messages age and are given up, so that one that is set later is not told of last week.
    """
    store.execute(_EXPIRE, (sum(RETRY_SECONDS),))
    store.execute(_FORGET, (KEPT_DAYS,))
    delivered = 0
    while webhook is not None and delivered < _AT_ONCE and _deliver_next(store, webhook):
        delivered += 1
    return delivered


def _deliver_next(store: Connection, webhook: Webhook) -> bool:
    with store.transaction():
        row = store.execute(_DUE).fetchone()
        if row is None:
            return False
        attempts = row["attempts"] + 1
        try:
            send(webhook, row["body"], str(row["id"]))
        except DeliveryFailed as error:
            LOG.warning("message %s was not delivered (attempt %d): %s", row["id"], attempts, error)
            pause = RETRY_SECONDS[attempts - 1] if attempts <= len(RETRY_SECONDS) else None
            store.execute(
                "UPDATE alert_delivery SET attempts = %s, last_error = %s,"
                " next_attempt_at = now() + make_interval(secs => %s), status = %s,"
                " finished_at = CASE WHEN %s THEN now() END WHERE id = %s",
                (attempts, str(error), pause or 0, "waiting" if pause else "given_up", pause is None, row["id"]),
            )
            return False
        store.execute(
            "UPDATE alert_delivery SET attempts = %s, status = 'delivered', finished_at = now() WHERE id = %s",
            (attempts, row["id"]),
        )
        return True


def _record(
    store: Connection, event: Event, condition: Condition, episode: int, started: datetime, resolved: datetime | None
) -> None:
    body = message(event, condition, started_at=_moment(started), resolved_at=_moment(resolved) if resolved else None)
    key = f"{condition.key}:{episode}:{event}" + (f":{condition.severity}" if event == "firing" else "")
    store.execute(_RECORD, (condition.key, key, Jsonb(body)))


def _moment(time: datetime) -> str:
    return time.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
