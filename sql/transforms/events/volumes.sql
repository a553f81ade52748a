-- Volumes of the pools in work_key per five minutes.
WITH work_key AS (SELECT * EXCEPT chain_id FROM work_key WHERE chain_id = {chain_id:UInt32})
SELECT
    lower(hex(candle.pool)) AS pool,
    toUInt32(candle.bucket) AS bucket,
    candle.volume0_raw AS volume0_raw,
    candle.volume1_raw AS volume1_raw
FROM agg_pool_candle AS candle FINAL
WHERE candle.chain_id = {chain_id:UInt32} AND candle.deleted = 0 AND candle.pool IN (SELECT key FROM work_key)
  AND candle.bucket >= {from:DateTime('UTC')} AND candle.bucket < {until:DateTime('UTC')}
ORDER BY bucket
