-- A rolled key works until its grace period ends, or its own expiry if that is earlier; without one it is revoked.
UPDATE api_key SET
    replaced_by = %(replaced_by)s,
    expires_at = least(expires_at, %(ends_at)s),
    revoked_at = CASE WHEN %(ends_at)s <= %(now)s THEN %(now)s END
WHERE id = %(id)s
