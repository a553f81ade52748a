-- A session is for the wallets that signed in. A session without wallets ends.
UPDATE wallet_session SET
    wallets = CASE WHEN wallets = ARRAY[%(wallet)s] THEN wallets ELSE array_remove(wallets, %(wallet)s) END,
    contract_chains = contract_chains - CAST(%(wallet)s AS text),
    revoked_at = CASE WHEN wallets = ARRAY[%(wallet)s] THEN CAST(%(now)s AS timestamptz) END
WHERE account_id = %(account_id)s AND %(wallet)s = ANY (wallets) AND revoked_at IS NULL
