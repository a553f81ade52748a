-- The accounts of the wallets that manage a registration, with what events say of it.
SELECT DISTINCT wallet.account_id, registration.symbol
FROM registration
JOIN account_wallet AS wallet
  ON wallet.wallet = registration.owner OR wallet.wallet = ANY(registration.managers)
WHERE registration.chain_id = %(chain_id)s AND registration.token_id = %(token_id)s
  AND registration.token_address = %(token_address)s
ORDER BY wallet.account_id
