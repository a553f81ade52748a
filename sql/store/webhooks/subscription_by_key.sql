SELECT
    s.id, s.url, s.events, s.crown_ids, s.chain_ids, s.status, s.disabled_reason, s.disabled_at, s.consecutive_failures,
    s.created_at, s.updated_at,
    CAST(NULL AS timestamptz) AS previous_secret_ends_at
FROM webhook_subscription AS s WHERE s.account_id = %(account_id)s AND s.idempotency_key = %(key)s
