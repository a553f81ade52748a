-- Pools with new or reverted events, and the bucket from which their candles are recomputed.
INSERT INTO work_pool
SELECT {chain_id:UInt32}, key, toStartOfFiveMinutes(min(from_time))
FROM fact_change
WHERE chain_id = {chain_id:UInt32}
  AND change_id > {after:UInt64} AND change_id <= {up_to:UInt64}
  AND subject = 'pool'
  AND cityHash64(key) % {parts:UInt32} = {part:UInt32}
GROUP BY key
