-- A revoked key keeps the name it had.
UPDATE api_key SET name = CASE WHEN revoked_at IS NULL THEN %(name)s ELSE name END
WHERE id = %(id)s AND account_id = %(account_id)s RETURNING id, name, prefix, created_at, last_used_at, revoked_at
