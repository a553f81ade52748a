-- Remove the candles that begin at a moment or later, and those that it lies in: they are computed again.
INSERT INTO agg_token_candle
SELECT * REPLACE (1 AS deleted, {version:UInt64} AS version)
FROM (SELECT * FROM agg_token_candle FINAL
      WHERE chain_id = {chain_id:UInt32} AND start >= toStartOfDay({from:DateTime('UTC')})
        AND start + seconds > {from:DateTime('UTC')} AND deleted = 0)
