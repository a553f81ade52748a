SELECT id, name, prefix, created_at, last_used_at, revoked_at FROM api_key
WHERE account_id = %(account_id)s AND (revoked_at IS NULL OR revoked_at > %(revoked_after)s)
ORDER BY created_at, id
