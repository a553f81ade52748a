SELECT id, name, prefix, created_at, last_used_at, revoked_at, scopes, allowed_addresses, expires_at, replaced_by,
    coalesce(quota_of, id) AS quota_id
FROM api_key WHERE id = %(id)s AND account_id = %(account_id)s FOR UPDATE
