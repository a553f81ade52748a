-- All keys, or those of the account of one wallet, oldest first.
SELECT
    key.id, key.prefix, account.wallet, account.plan, key.name, key.created_at, key.last_used_at, key.revoked_at,
    key.scopes, key.allowed_addresses, key.expires_at, key.account_id
FROM api_key AS key
JOIN account ON account.id = key.account_id
WHERE %(wallet)s::text IS NULL
   OR account.id = (SELECT account_id FROM account_wallet WHERE wallet = %(wallet)s)
ORDER BY key.created_at, key.id
