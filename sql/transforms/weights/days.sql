-- Pools with depth get a row for the first hour of a day, unless they had events then.
INSERT INTO agg_pool_depth
SELECT
    {chain_id:UInt32}, {day:DateTime('UTC')}, pool, last.1, last.2, last.3, last.4, last.5, 0, 0, {version:UInt64}
FROM
(
    SELECT pool, argMax((state, amount0_raw, amount1_raw, depth0_raw, depth1_raw), hour) AS last
    FROM agg_pool_depth FINAL
    WHERE chain_id = {chain_id:UInt32} AND hour >= subtractDays({day:DateTime('UTC')}, 1)
      AND hour < {day:DateTime('UTC')} AND deleted = 0
    GROUP BY pool
)
WHERE (last.4 > 0 OR last.5 > 0) AND pool NOT IN
(
    SELECT pool
    FROM agg_pool_depth FINAL
    WHERE chain_id = {chain_id:UInt32} AND hour = {day:DateTime('UTC')} AND deleted = 0
)
