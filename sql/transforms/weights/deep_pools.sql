-- How many pools have depth, about: the rows of a day's first hour.
SELECT count() AS pools
FROM agg_pool_depth FINAL
WHERE chain_id = {chain_id:UInt32} AND hour = {day:DateTime('UTC')} AND deleted = 0
