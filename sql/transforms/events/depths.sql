-- The current amounts in the pools in work_key.
WITH work_key AS (SELECT * EXCEPT chain_id FROM work_key WHERE chain_id = {chain_id:UInt32})
SELECT lower(hex(pool)) AS pool_hex, amount0_raw, amount1_raw
FROM agg_pool_liquidity FINAL
WHERE chain_id = {chain_id:UInt32} AND deleted = 0 AND pool IN (SELECT key FROM work_key)
