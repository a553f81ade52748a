-- Registered tokens with a score from a minimum to below a maximum, lowest first; of one chain if given.
SELECT
    token.symbol_key, token.chain_id, token.address, token.score, token.timestamp_score, token.volume_score,
    token.holders_score, token.confidence_score, token.scored_at, token.as_of_block, registration.token_id,
    registration.owner, registration.minted_at
FROM indexed_token AS token
JOIN registration
  ON registration.chain_id = token.chain_id AND registration.token_address = token.address
 AND registration.symbol = token.symbol_key AND registration.released_at IS NULL AND registration.expired_at IS NULL
WHERE token.score >= %(least)s AND token.score < %(below)s
  AND (%(chain_id)s::bigint IS NULL OR token.chain_id = %(chain_id)s)
ORDER BY token.score, token.chain_id, registration.token_id
LIMIT %(limit)s OFFSET %(offset)s
