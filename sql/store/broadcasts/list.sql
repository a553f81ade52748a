-- Broadcasts of a page, newest first, with what became of them.
SELECT
    b.id, b.kind, b.title, b.status, b.status_reason, b.channels, b.segments, b.holder_groups, b.holdout_percent,
    b.expected, b.recipients, b.as_of_block, b.created_at, b.due_at, b.sent_at,
    (SELECT count(*) FROM inbox_entry WHERE message_id = b.id) AS inbox_entries,
    (SELECT count(*) FROM inbox_entry WHERE message_id = b.id AND read_at IS NOT NULL) AS inbox_read,
    (SELECT count(*) FROM broadcast_recipient WHERE broadcast_id = b.id AND held_out) AS held_out,
    (
        SELECT coalesce(jsonb_agg(jsonb_build_object('channel', channel, 'status', status, 'count', n)), '[]')
        FROM (
            SELECT channel, status, count(*) AS n FROM broadcast_delivery
            WHERE broadcast_id = b.id GROUP BY channel, status ORDER BY channel, status
        ) AS counted
    ) AS deliveries
FROM broadcast AS b
WHERE b.chain_id = %(chain_id)s AND b.token_id = %(token_id)s AND b.token_address = %(token_address)s
  AND (CAST(%(before)s AS uuid) IS NULL OR b.id < %(before)s)
  AND (CAST(%(id)s AS uuid) IS NULL OR b.id = %(id)s)
ORDER BY b.id DESC
LIMIT %(limit)s
