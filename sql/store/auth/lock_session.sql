SELECT id, account_id, wallets FROM wallet_session
WHERE id = %(id)s AND revoked_at IS NULL AND expires_at > %(now)s FOR UPDATE
