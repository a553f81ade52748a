-- Remove the prices of quotes from a minute on: they are computed again.
INSERT INTO agg_quote_minute
SELECT * REPLACE (1 AS deleted, {version:UInt64} AS version)
FROM (SELECT * FROM agg_quote_minute FINAL
      WHERE chain_id = {chain_id:UInt32} AND minute >= {from:DateTime('UTC')} AND deleted = 0)
