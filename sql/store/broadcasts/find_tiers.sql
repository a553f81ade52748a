-- The tiers that a registration's document declares, and the decimals of its token.
SELECT registration.metadata -> 'tiers' AS tiers, token.decimals
FROM registration
LEFT JOIN indexed_token AS token
  ON token.chain_id = registration.chain_id AND token.address = registration.token_address
WHERE registration.chain_id = %(chain_id)s AND registration.token_id = %(token_id)s
