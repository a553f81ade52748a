-- Create the deliveries of some events and mark the events. A subscription receives the events recorded after it was
-- created; event ids contain that time in milliseconds.
WITH batch AS (
    SELECT id, type, chain_id, token_id, account_id FROM event_log
    WHERE fanned_out_at IS NULL ORDER BY id LIMIT %(events)s FOR UPDATE SKIP LOCKED
), made AS (
    INSERT INTO webhook_delivery (subscription_id, event_id, event_type, cause, due_at, created_at)
    SELECT s.id, e.id, e.type, 'event', CAST(%(now)s AS timestamptz), %(now)s
    FROM batch AS e
    JOIN webhook_subscription AS s ON s.events @> ARRAY[e.type] AND s.status = 'active' AND webhook_matches(
        e.type, e.chain_id, e.token_id, e.account_id, s.account_id, s.chain_ids, s.crown_ids,
        CAST(%(private_types)s AS text[]))
    JOIN account AS a ON a.id = s.account_id AND a.plan = ANY(CAST(%(plans)s AS text[]))
    WHERE date_trunc('milliseconds', s.created_at) <= coalesce(uuid_extract_timestamp(e.id), now())
    ORDER BY e.id
    ON CONFLICT DO NOTHING
    RETURNING 1
), marked AS (
    UPDATE event_log SET fanned_out_at = %(now)s FROM batch WHERE event_log.id = batch.id
)
SELECT (SELECT count(*) FROM batch) AS events, (SELECT count(*) FROM made) AS deliveries
