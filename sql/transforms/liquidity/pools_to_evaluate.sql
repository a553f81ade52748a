-- Pools with new events, and pools whose window still changes as time passes.
INSERT INTO work_key
SELECT {chain_id:UInt32}, key
FROM fact_change
WHERE chain_id = {chain_id:UInt32} AND change_id > {after:UInt64} AND change_id <= {up_to:UInt64} AND subject = 'pool'
UNION DISTINCT
SELECT {chain_id:UInt32}, pool
FROM agg_pool_liquidity FINAL
WHERE chain_id = {chain_id:UInt32} AND settled = 0 AND deleted = 0
