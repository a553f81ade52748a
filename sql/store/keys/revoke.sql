-- Repeating it changes nothing: the time of the first revocation stays.
UPDATE api_key SET revoked_at = COALESCE(revoked_at, %(now)s)
WHERE id = %(id)s AND account_id = %(account_id)s
RETURNING id, name, prefix, created_at, last_used_at, revoked_at, scopes, allowed_addresses, expires_at, replaced_by
