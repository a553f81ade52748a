SELECT id, name, prefix, created_at, last_used_at, revoked_at, scopes, allowed_addresses, expires_at, replaced_by, request_hash, sealed_secret
FROM api_key
WHERE account_id = %(account_id)s AND idempotency_key = %(idempotency_key)s AND created_at > %(since)s
