UPDATE wallet_session SET revoked_at = %(now)s
WHERE id IN (
    SELECT id FROM wallet_session
    WHERE account_id = %(account_id)s AND id <> %(id)s AND revoked_at IS NULL AND expires_at > %(now)s
    ORDER BY id DESC FOR UPDATE
)
RETURNING id
