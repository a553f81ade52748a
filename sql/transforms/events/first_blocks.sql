-- The blocks in which tokens were first seen, read from the facts: a token that a reorg removed has none.
SELECT lower(hex(address)) AS token_hex, min(first_block) AS first_seen
FROM fact_token
WHERE chain_id = {chain_id:UInt32} AND read_block <= {through:UInt64}
  AND address IN (SELECT unhex(arrayJoin({addresses:Array(String)})))
GROUP BY address
