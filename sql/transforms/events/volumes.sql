-- What changed hands in the pools of work_key, by five minutes.
SELECT lower(hex(pool)) AS pool_hex, toUInt32(bucket) AS began, volume0_raw, volume1_raw
FROM agg_pool_candle FINAL
WHERE chain_id = {chain_id:UInt32} AND deleted = 0 AND pool IN (SELECT key FROM work_key)
  AND bucket >= {from:DateTime('UTC')} AND bucket < {until:DateTime('UTC')}
ORDER BY bucket
