-- Remove the rows of a day and the later ones: they are computed again.
INSERT INTO agg_top_day
SELECT * REPLACE (1 AS deleted, {version:UInt64} AS version)
FROM (SELECT * FROM agg_top_day FINAL
      WHERE chain_id = {chain_id:UInt32} AND day >= toDate({day:UInt16}) AND deleted = 0)
