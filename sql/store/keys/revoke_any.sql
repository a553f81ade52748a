-- The time of the first revocation stays.
UPDATE api_key SET revoked_at = %(now)s WHERE id = %(id)s AND revoked_at IS NULL
