INSERT INTO api_key (account_id, name, prefix, key_hash, created_at)
VALUES (%(account_id)s, %(name)s, %(prefix)s, %(key_hash)s, coalesce(%(now)s::timestamptz, now()))
RETURNING id, name, prefix, created_at, last_used_at, revoked_at
