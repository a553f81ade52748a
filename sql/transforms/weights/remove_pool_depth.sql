-- Remove the rows of hours that are not closed, or no longer.
INSERT INTO agg_pool_depth
SELECT * REPLACE (1 AS deleted, {version:UInt64} AS version)
FROM (SELECT * FROM agg_pool_depth FINAL WHERE chain_id = {chain_id:UInt32} AND hour >= {closed_to:DateTime('UTC')} AND deleted = 0)
