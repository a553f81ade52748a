-- The current amounts in the pools in work_key.
SELECT lower(hex(pool)) AS pool_hex, amount0_raw, amount1_raw
FROM agg_pool_liquidity FINAL
WHERE chain_id = {chain_id:UInt32} AND deleted = 0 AND pool IN (SELECT key FROM work_key)
