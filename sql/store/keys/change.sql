-- A new expiry is announced again.
UPDATE api_key SET
    name = %(name)s, scopes = %(scopes)s::text[], allowed_addresses = %(allowed_addresses)s::cidr[],
    expires_at = %(expires_at)s,
    expiry_told = CASE WHEN expires_at IS DISTINCT FROM %(expires_at)s THEN 0 ELSE expiry_told END
WHERE id = %(id)s
RETURNING id, name, prefix, created_at, last_used_at, revoked_at, scopes, allowed_addresses, expires_at, replaced_by
