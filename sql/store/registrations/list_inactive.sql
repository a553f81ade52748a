-- Active registrations of a chain that are past their grace period and whose score is too low now, oldest first. An
-- announced end that was stopped is not announced again for the time that makes a registration inactive.
SELECT registration.token_id, registration.symbol, registration.owner, registration.token_address, token.score
FROM registration
JOIN indexed_token AS token
  ON token.chain_id = registration.chain_id AND token.address = registration.token_address
WHERE registration.chain_id = %(chain_id)s AND registration.is_final AND registration.released_at IS NULL
  AND registration.expired_at IS NULL AND token.score < %(inactive_below)s
  AND registration.minted_at < %(minted_before)s
  AND (registration.end_stopped_at IS NULL OR registration.end_stopped_at < %(stopped_before)s)
ORDER BY registration.token_id
