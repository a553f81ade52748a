SELECT id, wallets, scopes, created_at, expires_at FROM wallet_session
WHERE account_id = %(account_id)s AND revoked_at IS NULL AND expires_at > %(now)s
  AND (CAST(%(before)s AS uuid) IS NULL OR id < CAST(%(before)s AS uuid))
ORDER BY id DESC LIMIT %(most)s
