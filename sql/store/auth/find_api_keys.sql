SELECT k.id AS key_id, k.key_hash, k.account_id, a.wallet, a.plan, coalesce(k.quota_of, k.id) AS quota_id, k.scopes,
    k.allowed_addresses, k.expires_at
FROM api_key AS k JOIN account AS a ON a.id = k.account_id
WHERE k.key_hash = ANY(%(key_hashes)s) AND k.revoked_at IS NULL
