"""The queue of deliveries in the store: what workers take out of it and write down in it.

Every step is one transaction and safe to repeat:

    fan_out   deliveries are made of an event and the event is marked in the same transaction. An event is found by not
              being marked, so one whose transaction commits late is found late, and none is passed over.
    claim     a delivery that is due is leased by moving its due time to the lease's end. Two workers never lease the
              same one, and what a dead worker had falls due again by itself.
    record    an attempt counts only while its lease holds: written down twice, or after another worker took over, it
              changes nothing.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Final
from uuid import UUID

from api.http.rendering import dumps
from api.security.callers import satisfies
from api.store.events import record
from api.webhooks.outcomes import settle
from api.webhooks.records import Claimed, Endpoint, Result
from warehouse.domain.events.catalogue import EVENTS
from warehouse.domain.events.event import Audience, Occurrence, unique_key
from warehouse.domain.events.service import WebhookDisabled
from warehouse.domain.plans import PLANS
from warehouse.store import Store, Transaction

LEAST_PLAN: Final = "developer"
CHANNEL: Final = "webhooks"
"""What workers are told on that there is something to do."""

_PLANS = [plan for plan in PLANS if satisfies(plan, LEAST_PLAN)]
_PRIVATE = [event.type for event in EVENTS.values() if event.audience is Audience.ACCOUNT]
_EVENTS_AT_ONCE = 500
_DELIVERIES_AT_ONCE = 20_000
"""How many an event round may make: public events times subscriptions can be a lot for one transaction."""

# Who is told of event e: its account alone, or (a public fact) whoever's filter lets it pass. An event that is about no
# registration passes every filter. A private type that was recorded for nobody is told to nobody.
MATCHES: Final = """
    (e.account_id = s.account_id
     OR (e.account_id IS NULL AND e.type <> ALL(CAST(%(private_types)s AS text[]))
         AND (e.token_id IS NULL
              OR ((s.crown_ids IS NULL OR e.token_id = ANY(s.crown_ids))
                  AND (s.chain_ids IS NULL OR e.chain_id = ANY(s.chain_ids))))))
"""
MATCH_PARAMETERS: Final = {"private_types": _PRIVATE}

_ACTIVE = "SELECT count(*) AS subscriptions FROM webhook_subscription WHERE status = 'active'"
# A subscription is told of what was recorded after it was made: ids of events hold that moment, in milliseconds.
_FAN_OUT = f"""
WITH batch AS (
    SELECT id, type, chain_id, token_id, account_id FROM event_log
    WHERE fanned_out_at IS NULL ORDER BY id LIMIT %(events)s FOR UPDATE SKIP LOCKED
), made AS (
    INSERT INTO webhook_delivery (subscription_id, event_id, event_type, cause, due_at, created_at)
    SELECT s.id, e.id, e.type, 'event', CAST(%(now)s AS timestamptz), %(now)s
    FROM batch AS e
    JOIN webhook_subscription AS s ON s.events @> ARRAY[e.type] AND s.status = 'active' AND {MATCHES}
    JOIN account AS a ON a.id = s.account_id AND a.plan = ANY(CAST(%(plans)s AS text[]))
    WHERE date_trunc('milliseconds', s.created_at) <= coalesce(uuid_extract_timestamp(e.id), now())
    ORDER BY e.id
    ON CONFLICT DO NOTHING
    RETURNING 1
), marked AS (
    UPDATE event_log SET fanned_out_at = %(now)s FROM batch WHERE event_log.id = batch.id
)
SELECT (SELECT count(*) FROM batch) AS events, (SELECT count(*) FROM made) AS deliveries
"""  # noqa: S608 - constants

# Receivers for whom something is due, in the order of their ids from the last one on: one look into the index for each
# that anything waits for, however much waits.
_READY = """
WITH RECURSIVE waiting (id) AS (
    (SELECT d.subscription_id FROM webhook_delivery AS d
     WHERE d.status = 'pending' AND d.subscription_id > %(after)s ORDER BY d.subscription_id LIMIT 1)
    UNION ALL
    SELECT (SELECT d.subscription_id FROM webhook_delivery AS d
            WHERE d.status = 'pending' AND d.subscription_id > w.id ORDER BY d.subscription_id LIMIT 1)
    FROM waiting AS w WHERE w.id IS NOT NULL
)
SELECT ready.*,
    ARRAY(
        SELECT k.sealed FROM webhook_secret AS k
        WHERE k.subscription_id = ready.id AND (k.ends_at IS NULL OR k.ends_at > %(now)s)
        ORDER BY k.ends_at DESC NULLS FIRST, k.id DESC
    ) AS secrets
FROM waiting AS w
CROSS JOIN LATERAL (
    SELECT s.id, s.url, s.status <> 'active' AS only_tests
    FROM webhook_subscription AS s
    JOIN account AS a ON a.id = s.account_id
    WHERE s.id = w.id AND s.status <> 'deleted' AND a.plan = ANY(CAST(%(plans)s AS text[]))
    OFFSET 0
) AS ready
WHERE w.id <> ALL(CAST(%(saturated)s AS uuid[])) AND CASE
    WHEN ready.only_tests THEN EXISTS (
        SELECT FROM webhook_delivery AS d
        WHERE d.subscription_id = w.id AND d.status = 'pending' AND d.cause = 'test' AND d.due_at <= %(now)s)
    ELSE EXISTS (
        SELECT FROM webhook_delivery AS d
        WHERE d.subscription_id = w.id AND d.status = 'pending' AND d.due_at <= %(now)s)
    END
LIMIT %(receivers)s
"""

_CLAIM = """
WITH taken AS (
    SELECT found.* FROM unnest(
        CAST(%(ids)s AS uuid[]), CAST(%(caps)s AS integer[]), CAST(%(only_tests)s AS boolean[])
    ) AS w (id, cap, only_tests)
    CROSS JOIN LATERAL (
        SELECT d.id, d.event_id FROM webhook_delivery AS d
        WHERE d.subscription_id = w.id AND d.status = 'pending' AND d.due_at <= %(now)s
          AND (d.cause = 'test' OR NOT w.only_tests)
        ORDER BY d.due_at, d.id LIMIT w.cap FOR UPDATE SKIP LOCKED
    ) AS found
)
UPDATE webhook_delivery AS d SET lease = %(lease)s, due_at = %(lease_end)s
FROM taken LEFT JOIN event_log AS e ON e.id = taken.event_id
WHERE d.id = taken.id
RETURNING d.id, d.subscription_id, d.event_id, d.event_type, d.cause, d.attempts,
    coalesce(e.created_at, d.created_at) AS happened_at, uuid_extract_timestamp(e.id) AS recorded_at,
    CAST(coalesce(e.payload, d.test_payload) AS text) AS data
"""

_RELEASE = """
UPDATE webhook_delivery SET due_at = %(now)s, lease = NULL
WHERE lease = %(lease)s AND id = ANY(CAST(%(ids)s AS uuid[])) AND status = 'pending'
"""

_RECORD = """
WITH result AS (
    SELECT * FROM jsonb_to_recordset(CAST(%(results)s AS jsonb)) AS r (
        delivery_id uuid, lease uuid, verdict text, due_at timestamptz, finished_at timestamptz, url text,
        request_headers jsonb, status integer, response_headers jsonb, response_body text, response_complete boolean,
        failure text, problem text, dns_seconds double precision, connect_seconds double precision,
        answer_seconds double precision, total_seconds double precision, started_at timestamptz)
), held AS (
    UPDATE webhook_delivery AS d
    SET status = r.verdict, attempts = d.attempts + 1, due_at = coalesce(r.due_at, d.due_at),
        finished_at = r.finished_at, lease = NULL
    FROM result AS r WHERE d.id = r.delivery_id AND d.lease = r.lease AND d.status = 'pending'
    RETURNING d.id, d.attempts
)
INSERT INTO webhook_attempt (
    delivery_id, number, url, request_headers, status, response_headers, response_body, response_complete, failure,
    problem, dns_seconds, connect_seconds, answer_seconds, total_seconds, started_at)
SELECT held.id, held.attempts, r.url, r.request_headers, r.status, r.response_headers, r.response_body,
    r.response_complete, r.failure, r.problem, r.dns_seconds, r.connect_seconds, r.answer_seconds, r.total_seconds,
    r.started_at
FROM held JOIN result AS r ON r.delivery_id = held.id
RETURNING delivery_id
"""
_CLEAR_FAILURES = """
UPDATE webhook_subscription SET consecutive_failures = 0
WHERE id = ANY(CAST(%(ids)s AS uuid[])) AND consecutive_failures > 0
"""
# In one order, and as weakly as will do: fan-out refers to the same rows in an order of its own.
_STANDINGS = """
SELECT id, account_id, url, status, consecutive_failures FROM webhook_subscription
WHERE id = ANY(CAST(%(ids)s AS uuid[])) ORDER BY id FOR NO KEY UPDATE
"""
_STAND = """
UPDATE webhook_subscription
SET consecutive_failures = %(failures)s, status = 'disabled', disabled_reason = %(reason)s, disabled_at = %(now)s,
    updated_at = %(now)s
WHERE id = %(id)s
"""
_COUNT_FAILURES = "UPDATE webhook_subscription SET consecutive_failures = %(failures)s WHERE id = %(id)s"


class DeliveryQueue:
    """See the module."""

    def __init__(self, store: Store) -> None:
        self.store = store

    async def fan_out(self, now: datetime) -> tuple[int, int]:
        """Make deliveries of some events that nobody has looked at; says how many events, and how many deliveries."""
        async with self.store.transaction() as transaction:
            active = (await transaction.rows(_ACTIVE))[0]["subscriptions"]
            most = max(1, min(_EVENTS_AT_ONCE, _DELIVERIES_AT_ONCE // max(active, 1)))
            row = await transaction.row(_FAN_OUT, {"events": most, "now": now, "plans": _PLANS, **MATCH_PARAMETERS})
            return (row["events"], row["deliveries"]) if row else (0, 0)

    async def ready(self, now: datetime, *, after: UUID, saturated: Sequence[UUID], receivers: int) -> list[Endpoint]:
        """Some receivers for whom something is due, by their ids beyond ``after``."""
        rows = await self.store.rows(
            _READY,
            {"now": now, "after": after, "saturated": list(saturated), "receivers": receivers, "plans": _PLANS},
        )
        return [Endpoint(row["id"], row["url"], row["only_tests"], tuple(map(bytes, row["secrets"]))) for row in rows]

    async def claim(
        self, endpoints: Sequence[tuple[Endpoint, int]], *, lease: UUID, now: datetime, lease_end: datetime
    ) -> list[Claimed]:
        """Lease what is due, of each receiver as many as it may have."""
        parameters = {
            "ids": [endpoint.id for endpoint, _ in endpoints],
            "caps": [cap for _, cap in endpoints],
            "only_tests": [endpoint.only_tests for endpoint, _ in endpoints],
            "now": now,
            "lease": lease,
            "lease_end": lease_end,
        }
        async with self.store.transaction() as transaction:
            rows = await transaction.rows(_CLAIM, parameters)
        return [Claimed(**row, lease=lease) for row in rows]

    async def release(self, claimed: Iterable[Claimed], now: datetime) -> None:
        """Give leases back of what was not tried."""
        by_lease: dict[UUID, list[UUID]] = defaultdict(list)
        for one in claimed:
            by_lease[one.lease].append(one.id)
        async with self.store.transaction() as transaction:
            for lease, ids in by_lease.items():
                await transaction.execute(_RELEASE, {"lease": lease, "ids": ids, "now": now})

    async def record(self, results: Sequence[Result]) -> int:
        """Write attempts down, with all that follows from them; says how many counted."""
        rows = [
            {
                **result.attempt,
                "delivery_id": result.claimed.id,
                "lease": result.claimed.lease,
                "verdict": result.verdict,
                "due_at": result.due_at,
                "finished_at": None if result.verdict == "pending" else result.ended_at,
                "status": result.status,
            }
            for result in results
        ]
        async with self.store.transaction() as transaction:
            found = await transaction.rows(_RECORD, {"results": dumps(rows).decode()})
            counted = {row["delivery_id"] for row in found}
            await self._settle(transaction, [result for result in results if result.claimed.id in counted])
        return len(counted)

    async def _settle(self, transaction: Transaction, results: Sequence[Result]) -> None:
        """Let subscriptions stand as the endings of their deliveries say; a test says nothing about it."""
        endings: dict[UUID, list[tuple[str, int | None]]] = defaultdict(list)
        for result in sorted(results, key=lambda result: result.ended_at):
            if result.verdict != "pending" and result.claimed.cause != "test":
                endings[result.claimed.subscription_id].append((result.verdict, result.status))
        failing = {id for id, ended in endings.items() if any(verdict != "delivered" for verdict, _ in ended)}
        well = sorted(set(endings) - failing)
        if well:
            await transaction.execute(_CLEAR_FAILURES, {"ids": well})
        if not failing:
            return
        now = max(result.ended_at for result in results)
        for row in await transaction.rows(_STANDINGS, {"ids": sorted(failing)}):
            if row["status"] != "active":
                continue
            standing = settle(row["consecutive_failures"], endings[row["id"]])
            parameters = {"id": row["id"], "failures": standing.consecutive_failures}
            if standing.disabled_reason is None:
                await transaction.execute(_COUNT_FAILURES, parameters)
                continue
            await transaction.execute(_STAND, {**parameters, "reason": standing.disabled_reason, "now": now})
            # The event is recorded in the transaction that disables, once for each time.
            disabled = WebhookDisabled(
                webhook_id=str(row["id"]),
                url=row["url"],
                reason=standing.disabled_reason,
                consecutive_failures=standing.consecutive_failures,
            )
            key = unique_key(disabled, disabled_at=now.isoformat())
            occurrence = Occurrence(disabled, key, disabled.webhook_id, account_id=row["account_id"])
            await record(transaction, occurrence)
