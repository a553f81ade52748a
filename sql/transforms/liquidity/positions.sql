-- Net liquidity per range of ticks of the pools under evaluation.
SELECT lower(hex(pool)) AS pool_hex, tick_lower, tick_upper, sum(liquidity_delta) AS liquidity
FROM fact_liquidity
WHERE chain_id = {chain_id:UInt32} AND block_number <= {through:UInt64} AND pool IN (SELECT key FROM work_key)
GROUP BY fact_liquidity.pool, tick_lower, tick_upper
HAVING liquidity > 0
