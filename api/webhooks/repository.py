"""Subscriptions and deliveries in the store, as their owners see them. Every statement names the account."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from api.webhooks.queue import CHANNEL, MATCH_PARAMETERS, MATCHES
from api.webhooks.rules import Wanted
from warehouse.domain.events.event import Event
from warehouse.store import Row, Store, Transaction

_SUBSCRIPTION = """
SELECT s.*, (
    SELECT max(k.ends_at) FROM webhook_secret AS k WHERE k.subscription_id = s.id AND k.ends_at > %(now)s
) AS previous_secret_ends_at
FROM webhook_subscription AS s
WHERE s.account_id = %(account_id)s AND s.status <> 'deleted'
"""
_LOCK_ACCOUNT = "SELECT id FROM account WHERE id = %(account_id)s FOR NO KEY UPDATE"
_LOCK = """
SELECT * FROM webhook_subscription
WHERE id = %(id)s AND account_id = %(account_id)s AND status <> 'deleted' FOR NO KEY UPDATE
"""
_COUNT = "SELECT count(*) AS n FROM webhook_subscription WHERE account_id = %(account_id)s AND status <> 'deleted'"
_BY_KEY = "SELECT * FROM webhook_subscription WHERE account_id = %(account_id)s AND idempotency_key = %(key)s"
_FORGET_KEY = "UPDATE webhook_subscription SET idempotency_key = NULL WHERE id = %(id)s"
_INSERT = """
INSERT INTO webhook_subscription (account_id, url, events, crown_ids, chain_ids, idempotency_key)
VALUES (%(account_id)s, %(url)s, %(events)s, %(crown_ids)s, %(chain_ids)s, %(key)s)
RETURNING *, CAST(NULL AS timestamptz) AS previous_secret_ends_at
"""
_UPDATE = """
UPDATE webhook_subscription
SET url = %(url)s, events = %(events)s, crown_ids = %(crown_ids)s, chain_ids = %(chain_ids)s, status = %(status)s,
    disabled_reason = %(disabled_reason)s, disabled_at = %(disabled_at)s,
    consecutive_failures = %(consecutive_failures)s,
    updated_at = now()
WHERE id = %(id)s
"""
_DELETE = """
UPDATE webhook_subscription SET status = 'deleted', idempotency_key = NULL, updated_at = now()
WHERE id = %(id)s AND account_id = %(account_id)s AND status <> 'deleted'
"""
_INSERT_SECRET = "INSERT INTO webhook_secret (subscription_id, sealed) VALUES (%(id)s, %(sealed)s)"  # noqa: S105
_END_SECRETS = """
UPDATE webhook_secret SET ends_at = %(ends_at)s WHERE subscription_id = %(id)s AND ends_at IS NULL
"""
# So many older ones stay valid at most: each is a signature in every delivery.
_DROP_SECRETS = """
DELETE FROM webhook_secret WHERE subscription_id = %(id)s AND id NOT IN (
    SELECT id FROM webhook_secret WHERE subscription_id = %(id)s AND (ends_at IS NULL OR ends_at > %(now)s)
    ORDER BY id DESC LIMIT %(kept)s)
"""
_SECRET = "SELECT sealed FROM webhook_secret WHERE subscription_id = %(id)s AND ends_at IS NULL"  # noqa: S105
_NOTIFY = "SELECT pg_notify(%(channel)s, '')"

_LAST_ATTEMPT = """
LEFT JOIN webhook_attempt AS t ON t.delivery_id = d.id AND t.number = d.attempts
"""
_DELIVERIES = f"""
SELECT d.*, t.status AS last_status, t.problem AS last_problem
FROM webhook_delivery AS d {_LAST_ATTEMPT}
WHERE d.subscription_id = %(id)s
  AND (CAST(%(before)s AS uuid) IS NULL OR d.id < %(before)s)
  AND (CAST(%(status)s AS text) IS NULL OR d.status = %(status)s)
  AND (CAST(%(type)s AS text) IS NULL OR d.event_type = %(type)s)
  AND (CAST(%(begin)s AS timestamptz) IS NULL OR d.created_at >= %(begin)s)
  AND (CAST(%(end)s AS timestamptz) IS NULL OR d.created_at < %(end)s)
ORDER BY d.id DESC LIMIT %(limit)s
"""  # noqa: S608 - constants
_DELIVERY = f"""
SELECT d.*, t.status AS last_status, t.problem AS last_problem, coalesce(e.created_at, d.created_at) AS happened_at,
    CAST(coalesce(e.payload, d.test_payload) AS text) AS data
FROM webhook_delivery AS d {_LAST_ATTEMPT} LEFT JOIN event_log AS e ON e.id = d.event_id
WHERE d.subscription_id = %(id)s AND d.id = %(delivery_id)s
"""  # noqa: S608
_ATTEMPTS = "SELECT * FROM webhook_attempt WHERE delivery_id = %(delivery_id)s ORDER BY number"
_ADD_TEST = """
INSERT INTO webhook_delivery (subscription_id, event_type, cause, test_payload, due_at, created_at)
VALUES (%(id)s, %(type)s, 'test', CAST(%(payload)s AS jsonb), %(now)s, %(now)s)
RETURNING *, NULL AS last_status, NULL AS last_problem
"""
_REPLAY_ONE = """
INSERT INTO webhook_delivery (subscription_id, event_id, event_type, cause, due_at, created_at)
SELECT subscription_id, event_id, event_type, 'replay', %(now)s, %(now)s
FROM webhook_delivery WHERE id = %(delivery_id)s
ON CONFLICT DO NOTHING
"""
_WAITING_REPLAY = """
SELECT d.*, t.status AS last_status, t.problem AS last_problem
FROM webhook_delivery AS d LEFT JOIN webhook_attempt AS t ON t.delivery_id = d.id AND t.number = d.attempts
WHERE d.subscription_id = %(id)s AND d.event_id = %(event_id)s AND d.cause = 'replay'
ORDER BY d.id DESC LIMIT 1
"""
# What waits already is left out before it is counted: else it would take the places of events that do not.
_REPLAY = f"""
INSERT INTO webhook_delivery (subscription_id, event_id, event_type, cause, due_at, created_at)
SELECT s.id, e.id, e.type, 'replay', CAST(%(now)s AS timestamptz), %(now)s
FROM webhook_subscription AS s JOIN event_log AS e
    ON e.type = ANY(s.events) AND e.created_at >= %(begin)s AND e.created_at < %(end)s AND {MATCHES}
WHERE s.id = %(id)s AND (CAST(%(events)s AS text[]) IS NULL OR e.type = ANY(CAST(%(events)s AS text[])))
  AND NOT (%(undelivered)s AND EXISTS (
    SELECT FROM webhook_delivery AS d
    WHERE d.subscription_id = s.id AND d.event_id = e.id AND d.status <> 'exhausted'))
  AND NOT EXISTS (
    SELECT FROM webhook_delivery AS d
    WHERE d.subscription_id = s.id AND d.event_id = e.id AND d.cause = 'replay' AND d.status = 'pending')
ORDER BY e.created_at, e.id LIMIT %(most)s
ON CONFLICT DO NOTHING
"""  # noqa: S608
_THOUGHT_OF = """
(SELECT CAST(%(account_id)s AS uuid) AS account_id, CAST(%(crown_ids)s AS bigint[]) AS crown_ids,
    CAST(%(chain_ids)s AS bigint[]) AS chain_ids) AS s
"""
_PREVIEW = f"""
SELECT wanted.type, (
    SELECT count(*) FROM (
        SELECT FROM event_log AS e, {_THOUGHT_OF}
        WHERE e.type = wanted.type AND e.created_at >= %(begin)s AND e.created_at < %(end)s AND {MATCHES}
        LIMIT %(most)s) AS found
) AS count
FROM unnest(CAST(%(events)s AS text[])) WITH ORDINALITY AS wanted (type, place) ORDER BY wanted.place
"""  # noqa: S608
_LATEST = f"""
SELECT found.* FROM unnest(CAST(%(events)s AS text[])) AS wanted (type)
CROSS JOIN LATERAL (
    SELECT e.id, e.type, e.created_at, CAST(e.payload AS text) AS data FROM event_log AS e, {_THOUGHT_OF}
    WHERE e.type = wanted.type AND e.created_at >= %(begin)s AND e.created_at < %(end)s AND {MATCHES}
    ORDER BY e.created_at DESC LIMIT %(latest)s
) AS found
ORDER BY found.created_at DESC, found.id DESC LIMIT %(latest)s
"""  # noqa: S608
_PREVIEW_SECONDS: Final = 8.0
_SECRETS_KEPT: Final = 5


class WebhookRepository:
    """See the module."""

    def __init__(self, store: Store) -> None:
        self.store = store

    async def of_account(self, account_id: UUID, now: datetime) -> list[Row]:
        """The account's subscriptions, oldest first."""
        return await self.store.rows(f"{_SUBSCRIPTION} ORDER BY s.id", {"account_id": account_id, "now": now})

    async def find(self, account_id: UUID, id: UUID, now: datetime) -> Row | None:
        """One of the account's subscriptions."""
        return await self.store.row(
            f"{_SUBSCRIPTION} AND s.id = %(id)s", {"account_id": account_id, "id": id, "now": now}
        )

    async def lock_account(self, transaction: Transaction, account_id: UUID) -> int:
        """Let one request after another add subscriptions to an account; says how many it has."""
        await transaction.execute(_LOCK_ACCOUNT, {"account_id": account_id})
        row = await transaction.row(_COUNT, {"account_id": account_id})
        return int(row["n"]) if row else 0

    async def lock(self, transaction: Transaction, account_id: UUID, id: UUID) -> Row | None:
        """One of the account's subscriptions, to be changed."""
        return await transaction.row(_LOCK, {"account_id": account_id, "id": id})

    async def made_with(self, transaction: Transaction, account_id: UUID, key: str) -> Row | None:
        """The subscription that was made under an idempotency key."""
        return await transaction.row(_BY_KEY, {"account_id": account_id, "key": key})

    async def forget_key(self, transaction: Transaction, id: UUID) -> None:
        """Let the subscription's idempotency key be used for another one."""
        await transaction.execute(_FORGET_KEY, {"id": id})

    async def insert(
        self, transaction: Transaction, account_id: UUID, url: str, wanted: Wanted, key: str | None
    ) -> Row:
        """A new subscription, still without a secret."""
        parameters = {"account_id": account_id, "url": url, "key": key, **_columns(wanted)}
        return (await transaction.rows(_INSERT, parameters))[0]

    async def update(self, transaction: Transaction, row: Row) -> None:
        """Write what has been changed in a locked row."""
        await transaction.execute(_UPDATE, row)

    async def delete(self, account_id: UUID, id: UUID) -> bool:
        """Take a subscription away; whether there was one. Its history is removed later."""
        async with self.store.transaction() as transaction:
            return await transaction.execute(_DELETE, {"account_id": account_id, "id": id}) > 0

    async def secret(self, transaction: Transaction, id: UUID) -> bytes | None:
        """The current secret, sealed."""
        row = await transaction.row(_SECRET, {"id": id})
        return bytes(row["sealed"]) if row else None

    async def add_secret(
        self, transaction: Transaction, id: UUID, sealed: bytes, *, now: datetime, others_end_at: datetime
    ) -> None:
        """A new current secret; the one before ends at ``others_end_at``."""
        await transaction.execute(_END_SECRETS, {"id": id, "ends_at": others_end_at})
        await transaction.execute(_INSERT_SECRET, {"id": id, "sealed": sealed})
        await transaction.execute(_DROP_SECRETS, {"id": id, "now": now, "kept": _SECRETS_KEPT})

    async def deliveries(
        self,
        id: UUID,
        *,
        before: UUID | None,
        status: str | None,
        type: str | None,
        begin: datetime | None,
        end: datetime | None,
        limit: int,
    ) -> list[Row]:
        """Deliveries of a subscription, newest first."""
        parameters = {"id": id, "before": before, "status": status, "type": type, "begin": begin, "end": end}
        return await self.store.rows(_DELIVERIES, {**parameters, "limit": limit})

    async def delivery(self, id: UUID, delivery_id: UUID) -> tuple[Row, list[Row]] | None:
        """A delivery with its data, and its attempts."""
        row = await self.store.row(_DELIVERY, {"id": id, "delivery_id": delivery_id})
        if row is None:
            return None
        return row, await self.store.rows(_ATTEMPTS, {"delivery_id": delivery_id})

    async def add_test(self, id: UUID, event: Event, now: datetime) -> Row:
        """Queue a test event."""
        async with self.store.transaction() as transaction:
            parameters = {"id": id, "type": event.type, "payload": event.data().decode(), "now": now}
            row = (await transaction.rows(_ADD_TEST, parameters))[0]
            await transaction.execute(_NOTIFY, {"channel": CHANNEL})
            return row

    async def replay(self, id: UUID, delivery_id: UUID, event_id: UUID, now: datetime) -> Row:
        """Queue a delivery's event once more, unless it is queued already; the delivery that waits."""
        async with self.store.transaction() as transaction:
            await transaction.execute(_REPLAY_ONE, {"delivery_id": delivery_id, "now": now})
            await transaction.execute(_NOTIFY, {"channel": CHANNEL})
            return (await transaction.rows(_WAITING_REPLAY, {"id": id, "event_id": event_id}))[0]

    async def replay_range(
        self,
        transaction: Transaction,
        id: UUID,
        *,
        begin: datetime,
        end: datetime,
        events: Sequence[str] | None,
        undelivered: bool,
        now: datetime,
        most: int,
    ) -> int:
        """Queue the events of a time that the subscription is for; how many."""
        parameters = {
            "id": id,
            "begin": begin,
            "end": end,
            "events": None if events is None else list(events),
            "undelivered": undelivered,
            "now": now,
            "most": most,
            **MATCH_PARAMETERS,
        }
        queued = await transaction.execute(_REPLAY, parameters)
        await transaction.execute(_NOTIFY, {"channel": CHANNEL})
        return queued

    async def preview(
        self, account_id: UUID, wanted: Wanted, *, end: datetime, span: timedelta, most: int, latest: int
    ) -> tuple[list[Row], list[Row]]:
        """How many events of each type a subscription would have been sent, counted up to ``most``; the newest."""
        parameters = {
            "account_id": account_id,
            "begin": end - span,
            "end": end,
            "most": most,
            "latest": latest,
            **_columns(wanted),
            **MATCH_PARAMETERS,
        }
        counts = await self.store.rows(_PREVIEW, parameters, timeout_seconds=_PREVIEW_SECONDS)
        return counts, await self.store.rows(_LATEST, parameters, timeout_seconds=_PREVIEW_SECONDS)


def _columns(wanted: Wanted) -> dict[str, Any]:
    return {"events": wanted.events, "crown_ids": wanted.crown_ids, "chain_ids": wanted.chain_ids}
