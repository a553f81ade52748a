-- The time of the first revocation stays.
UPDATE api_key SET revoked_at = coalesce(revoked_at, now()) WHERE id = %(id)s
