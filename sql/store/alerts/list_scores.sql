-- The standing heartbeat scores of tokens that were last scored before a moment, given in unix seconds.
SELECT address, score::float8 AS score
FROM indexed_token
WHERE chain_id = %(chain_id)s AND address = ANY(%(addresses)s) AND scored_at < to_timestamp(%(moment)s)
  AND score IS NOT NULL
