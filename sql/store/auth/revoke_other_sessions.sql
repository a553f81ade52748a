UPDATE wallet_session SET revoked_at = %(now)s
WHERE account_id = %(account_id)s AND id <> %(id)s AND revoked_at IS NULL AND expires_at > %(now)s RETURNING id
