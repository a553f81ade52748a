-- Lease due deliveries of channels, at most as many as each one's cap. Role and opt-in are looked at again: what nobody
-- may send, or nobody wants any more, is skipped (refusal).
WITH taken AS (
    SELECT found.* FROM unnest(CAST(%(channels)s AS text[]), CAST(%(caps)s AS integer[])) AS w (channel, cap)
    CROSS JOIN LATERAL (
        SELECT d.id, d.broadcast_id, d.channel, d.account_id FROM broadcast_delivery AS d
        WHERE d.channel = w.channel AND d.status = 'pending' AND d.due_at <= %(now)s
        ORDER BY d.due_at, d.id LIMIT w.cap FOR UPDATE SKIP LOCKED
    ) AS found
), judged AS (
    SELECT
        taken.id, registration.symbol || ': ' || broadcast.title AS title, broadcast.body, broadcast.link_url, registration.symbol,
        subscription.id AS subscription_id, subscription.wallet, coalesce(contact.id, room.id) AS address_id,
        coalesce(contact.sealed, room.sealed) AS sealed, taken.account_id IS NULL AS is_room,
        CASE
            WHEN registration.token_id IS NULL THEN 'the sender is no longer owner or manager'
            WHEN taken.account_id IS NULL AND room.id IS NULL THEN 'the room was removed'
            WHEN taken.account_id IS NOT NULL AND subscription.id IS NULL THEN 'the recipient left'
            WHEN taken.account_id IS NOT NULL AND contact.id IS NULL THEN 'the contact was removed'
        END AS refusal
    FROM taken
    JOIN broadcast ON broadcast.id = taken.broadcast_id
    LEFT JOIN registration
      ON registration.chain_id = broadcast.chain_id AND registration.token_id = broadcast.token_id
     AND registration.token_address = broadcast.token_address
     AND registration.released_at IS NULL AND registration.expired_at IS NULL
     AND (registration.owner = broadcast.wallet OR broadcast.wallet = ANY(registration.managers))
    LEFT JOIN page_subscription AS subscription
      ON subscription.chain_id = broadcast.chain_id AND subscription.token_id = broadcast.token_id
     AND subscription.account_id = taken.account_id AND subscription.token_address = broadcast.token_address
     AND taken.channel = ANY(subscription.channels)
     AND EXISTS (
        SELECT FROM account_wallet AS linked
        WHERE linked.wallet = subscription.wallet AND linked.account_id = subscription.account_id
     )
    LEFT JOIN contact
      ON contact.account_id = taken.account_id AND contact.channel = taken.channel
     AND contact.confirmed_at IS NOT NULL AND contact.failed_at IS NULL
    LEFT JOIN community_room AS room
      ON taken.account_id IS NULL AND room.chain_id = broadcast.chain_id AND room.token_id = broadcast.token_id
     AND room.token_address = broadcast.token_address AND room.channel = taken.channel
)
UPDATE broadcast_delivery AS d SET
    lease = CASE WHEN judged.refusal IS NULL THEN CAST(%(lease)s AS uuid) END,
    status = CASE WHEN judged.refusal IS NULL THEN 'pending' ELSE 'skipped' END,
    problem = judged.refusal,
    due_at = %(lease_end)s,
    finished_at = CASE WHEN judged.refusal IS NULL THEN NULL ELSE CAST(%(now)s AS timestamptz) END
FROM judged
WHERE d.id = judged.id
RETURNING d.id, d.channel, d.attempts, d.lease, judged.title, judged.body, judged.link_url, judged.symbol,
    judged.subscription_id, judged.wallet, judged.address_id, judged.sealed, judged.is_room, judged.refusal
