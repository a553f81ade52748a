SELECT id, name, prefix, created_at, last_used_at, revoked_at, scopes, allowed_addresses, expires_at, replaced_by
FROM api_key WHERE replaced_by = %(id)s
