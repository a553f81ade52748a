SELECT s.id, s.account_id, s.wallets, s.contract_chains, s.scopes, s.expires_at, a.plan
FROM wallet_session AS s JOIN account AS a ON a.id = s.account_id
WHERE s.id = %(id)s AND s.revoked_at IS NULL AND s.expires_at > %(now)s
