-- Lease due deliveries, for each receiver at most up to its cap.
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
RETURNING d.id, d.subscription_id AS receiver_id, d.event_id, d.event_type, d.cause, d.attempts, d.lease,
    coalesce(e.created_at, d.created_at) AS happened_at, uuid_extract_timestamp(e.id) AS recorded_at,
    CAST(coalesce(e.payload, d.test_payload) AS text) AS data
