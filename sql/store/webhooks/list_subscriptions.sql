-- An account's subscriptions, oldest first; only one if its id is given.
SELECT
    s.id, s.url, s.events, s.crown_ids, s.chain_ids, s.status, s.disabled_reason, s.disabled_at, s.consecutive_failures,
    s.created_at, s.updated_at,
    (SELECT max(k.ends_at) FROM webhook_secret AS k WHERE k.subscription_id = s.id AND k.ends_at > %(now)s)
        AS previous_secret_ends_at
FROM webhook_subscription AS s
WHERE s.account_id = %(account_id)s AND s.status <> 'deleted'
  AND (CAST(%(id)s AS uuid) IS NULL OR s.id = %(id)s)
ORDER BY s.id
