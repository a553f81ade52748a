-- The liquidity in each range of some pools.
SELECT lower(hex(pool)) AS pool_hex, tick_lower, tick_upper, sum(liquidity_delta) AS liquidity
FROM fact_liquidity
WHERE chain_id = {chain_id:UInt32} AND block_number < {before:UInt64}
    AND pool IN (SELECT unhex(arrayJoin({keys:Array(String)})))
GROUP BY pool, tick_lower, tick_upper
HAVING liquidity != 0
