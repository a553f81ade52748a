INSERT INTO api_key (
    account_id, name, prefix, key_hash, created_at, scopes, allowed_addresses, expires_at, quota_of, idempotency_key,
    request_hash)
VALUES (
    %(account_id)s, %(name)s, %(prefix)s, %(key_hash)s, coalesce(%(now)s::timestamptz, now()), %(scopes)s::text[],
    %(allowed_addresses)s::cidr[], %(expires_at)s, %(quota_of)s::uuid, %(idempotency_key)s::text,
    %(request_hash)s::bytea)
RETURNING id, name, prefix, created_at, last_used_at, revoked_at, scopes, allowed_addresses, expires_at, replaced_by
