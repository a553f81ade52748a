SELECT id, name, prefix, created_at, last_used_at, revoked_at, scopes, allowed_addresses, expires_at, replaced_by
FROM api_key
WHERE account_id = %(account_id)s
  AND (least(revoked_at, expires_at) IS NULL OR least(revoked_at, expires_at) > %(ended_after)s)
ORDER BY created_at, id
