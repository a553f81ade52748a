SELECT count(*) AS total FROM wallet_session
WHERE account_id = %(account_id)s AND revoked_at IS NULL AND expires_at > %(now)s
