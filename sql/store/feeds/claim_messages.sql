-- Lease due messages of channels, at most as many as each one's cap.
WITH taken AS (
    SELECT found.* FROM unnest(CAST(%(channels)s AS text[]), CAST(%(caps)s AS integer[])) AS w (channel, cap)
    CROSS JOIN LATERAL (
        SELECT m.id FROM alert_feed_message AS m
        WHERE m.channel = w.channel AND m.status = 'pending' AND m.due_at <= %(now)s
        ORDER BY m.due_at, m.id LIMIT w.cap FOR UPDATE SKIP LOCKED
    ) AS found
)
UPDATE alert_feed_message AS m SET lease = CAST(%(lease)s AS uuid), due_at = %(lease_end)s
FROM taken, alert_feed AS feed
WHERE m.id = taken.id AND feed.id = m.feed_id
RETURNING m.id, m.channel, m.attempts, m.lease, m.title, m.body, m.link_url, CAST(NULL AS text) AS symbol,
    CAST(NULL AS uuid) AS subscription_id, CAST(NULL AS text) AS wallet, feed.id AS address_id, feed.sealed,
    false AS is_room, CAST(NULL AS text) AS refusal, 'Sent by a feed of buys.' AS why
