"""Conditions and the messages about them, in the store: recorded together, sent afterwards, safe to repeat.

A condition that goes on is reported to operators once, and its end once; when it appears again, a new episode begins.
Who notices it does not matter, nor how often: the same report changes nothing.
"""

import asyncio
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from warehouse import postgres
from warehouse.delivery.engine import DeliveryEngine
from warehouse.delivery.pace import Pace
from warehouse.notices.channel import NoticeChannel
from warehouse.notices.conditions import Change, Condition, iso, message
from warehouse.notices.queues import StoredNotices
from warehouse.notices.webhook import RETRIES, TERMS, Webhook
from warehouse.postgres import Connection, Jsonb

KEPT_DAYS = 30


def report(store: Connection, condition: Condition) -> None:
    """A condition holds. Operators hear of it once an episode, and again if a warning becomes an error."""
    parameters = {
        "key": condition.key,
        "kind": condition.kind,
        "subject": condition.subject,
        "severity": condition.severity,
        "summary": condition.summary,
        "details": Jsonb(dict(condition.details)),
    }
    with store.transaction():
        for row in postgres.run(store, "notices/report", parameters):
            _add_message(store, "firing", row)


def resolve(store: Connection, key: str) -> None:
    """A condition does not hold, or not any more."""
    with store.transaction():
        for row in postgres.run(store, "notices/resolve", {"key": key}):
            _add_message(store, "resolved", row)


def settle(store: Connection, kind: str, holding: Iterable[Condition]) -> None:
    """Report all conditions of a kind that hold now, and resolve the others of that kind."""
    keys = set()
    for condition in holding:
        report(store, condition)
        keys.add(condition.key)
    for row in postgres.run(store, "notices/list_firing", {"kind": kind}):
        if row["key"] not in keys:
            resolve(store, row["key"])


def deliver_due(store: Connection, webhook: Webhook | None) -> int:
    """Send the messages that are due; how many were delivered. Not to be called inside an event loop.

    Without a receiver messages age and are given up, so that a receiver set later does not get last week's.
    """
    postgres.execute(store, "notices/expire", {"seconds": RETRIES.span.total_seconds()})
    postgres.execute(store, "notices/forget", {"days": KEPT_DAYS})
    if webhook is None:
        return 0
    queue = StoredNotices(store, webhook)
    one_at_a_time = Pace(places=1, slow_places=1)
    engine = DeliveryEngine(queue, NoticeChannel(), TERMS, lambda: datetime.now(UTC), pace=one_at_a_time)
    asyncio.run(engine.run_until_idle())
    return queue.delivered


def _add_message(store: Connection, change: Change, row: dict[str, Any]) -> None:
    condition = Condition(row["kind"], row["subject"], row["severity"], row["summary"], row["details"])
    resolved_at = iso(row["resolved_at"]) if row["resolved_at"] is not None else None
    body = message(change, condition, started_at=iso(row["started_at"]), resolved_at=resolved_at)
    severity = f":{condition.severity}" if change == "firing" else ""
    parameters = {
        "key": condition.key,
        "change": f"{condition.key}:{row['episode']}:{change}{severity}",
        "body": Jsonb(body),
    }
    postgres.execute(store, "notices/add_message", parameters)
