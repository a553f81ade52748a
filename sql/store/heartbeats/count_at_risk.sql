-- How many registered tokens have a critical score and how many a warning score; each token counts once.
SELECT
    count(*) FILTER (WHERE token.score < %(critical)s) AS critical,
    count(*) FILTER (WHERE token.score >= %(critical)s) AS warning
FROM indexed_token AS token
JOIN registration
  ON registration.chain_id = token.chain_id AND registration.token_address = token.address
 AND registration.symbol = token.symbol_key AND registration.released_at IS NULL AND registration.expired_at IS NULL
WHERE token.score < %(warning)s AND (%(chain_id)s::bigint IS NULL OR token.chain_id = %(chain_id)s)
