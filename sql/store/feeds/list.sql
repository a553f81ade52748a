-- An account's feeds, oldest first; with an id that one.
SELECT id, chain_id, token_address, owner_wallet, min_usd, min_raw, channel, after_block, created_at
FROM alert_feed
WHERE account_id = %(account_id)s AND (CAST(%(id)s AS uuid) IS NULL OR id = %(id)s)
ORDER BY created_at, id
