INSERT INTO webhook_subscription AS s (account_id, url, events, crown_ids, chain_ids, idempotency_key)
VALUES (%(account_id)s, %(url)s, %(events)s, %(crown_ids)s, %(chain_ids)s, %(key)s)
RETURNING
    s.id, s.url, s.events, s.crown_ids, s.chain_ids, s.status, s.disabled_reason, s.disabled_at, s.consecutive_failures,
    s.created_at, s.updated_at,
    CAST(NULL AS timestamptz) AS previous_secret_ends_at
