-- Queue a time range's events that match a subscription. Events already pending are left out before the limit applies,
-- so they do not use it up.
INSERT INTO webhook_delivery (subscription_id, event_id, event_type, cause, due_at, created_at)
SELECT s.id, e.id, e.type, 'replay', CAST(%(now)s AS timestamptz), %(now)s
FROM webhook_subscription AS s JOIN event_log AS e
    ON e.type = ANY(s.events) AND e.created_at >= %(begin)s AND e.created_at < %(end)s AND webhook_matches(
        e.type, e.chain_id, e.token_id, e.account_id, s.account_id, s.chain_ids, s.crown_ids,
        CAST(%(private_types)s AS text[]))
WHERE s.id = %(id)s AND (CAST(%(events)s AS text[]) IS NULL OR e.type = ANY(CAST(%(events)s AS text[])))
  AND NOT (%(undelivered)s AND EXISTS (
    SELECT FROM webhook_delivery AS d
    WHERE d.subscription_id = s.id AND d.event_id = e.id AND d.status <> 'exhausted'))
  AND NOT EXISTS (
    SELECT FROM webhook_delivery AS d
    WHERE d.subscription_id = s.id AND d.event_id = e.id AND d.cause = 'replay' AND d.status = 'pending')
ORDER BY e.created_at, e.id LIMIT %(most)s
ON CONFLICT DO NOTHING
