-- The listing of a symbol on a chain: its active registration, how it is presented, and the token.
SELECT
    registration.token_id, registration.chain_id, registration.symbol, registration.token_address,
    registration.presented, registration.minted_at, token.name, token.decimals, token.score
FROM registration
LEFT JOIN indexed_token AS token
  ON token.chain_id = registration.chain_id AND token.address = registration.token_address
WHERE registration.symbol = %(symbol)s AND registration.chain_id = %(chain_id)s
  AND registration.released_at IS NULL AND registration.expired_at IS NULL
ORDER BY registration.token_id DESC
LIMIT 1
