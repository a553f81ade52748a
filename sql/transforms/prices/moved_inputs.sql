-- A row if a token or a pool's liquidity was written after the last pricing.
SELECT 1 AS moved
FROM
(
    SELECT version FROM agg_token WHERE chain_id = {chain_id:UInt32} AND version > {after_version:UInt64} LIMIT 1
    UNION ALL
    SELECT version FROM agg_pool_liquidity WHERE chain_id = {chain_id:UInt32} AND version > {after_version:UInt64}
    LIMIT 1
)
LIMIT 1
