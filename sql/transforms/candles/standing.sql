-- The last price of a token before a moment, of the tokens of the pools in work_key.
WITH work_key AS (SELECT * EXCEPT chain_id FROM work_key WHERE chain_id = {chain_id:UInt32})
SELECT lower(hex(candle.token)) AS token_hex, argMax(assumeNotNull(candle.close), candle.start) AS close,
       toUInt32(max(candle.start)) AS start_seconds
FROM agg_token_candle AS candle FINAL
WHERE candle.chain_id = {chain_id:UInt32} AND candle.seconds = 300 AND candle.deleted = 0
  AND candle.close IS NOT NULL AND candle.start < {from:DateTime('UTC')}
  AND candle.start >= subtractDays({from:DateTime('UTC')}, 7)
  AND candle.token IN
  (
      SELECT arrayJoin([token0, token1]) FROM fact_pool
      WHERE chain_id = {chain_id:UInt32} AND pool IN (SELECT key FROM work_key)
  )
GROUP BY candle.token
