-- The first sign-in decides whether the wallet is a key or the contract of one chain. If contracts at one address of
-- two chains sign in at the same time, the second waits for the first one's row lock and is then refused. A key is
-- always accepted and changes nothing: its owner controls the contracts at its address.
UPDATE account_wallet SET
    proved_at = COALESCE(proved_at, %(now)s),
    chain_id = CASE WHEN proved_at IS NULL THEN CAST(%(chain_id)s AS bigint) ELSE chain_id END
WHERE wallet = %(wallet)s
  AND (proved_at IS NULL OR CAST(%(chain_id)s AS bigint) IS NULL OR chain_id = CAST(%(chain_id)s AS bigint))
RETURNING account_id
