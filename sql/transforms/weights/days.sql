-- Pools with depth get a row for the first hour of each of these days, unless they had events then.
INSERT INTO agg_pool_depth
SELECT {chain_id:UInt32}, first_hour, pool, last.2, last.3, last.4, last.5, last.6, 0, 0, {version:UInt64}
FROM
(
    SELECT
        pool,
        groupArray((toUInt32(hour), state, amount0_raw, amount1_raw, depth0_raw, depth1_raw)) AS found,
        arraySort(entry -> entry.1, found) AS entries,
        arrayJoin({days:Array(DateTime('UTC'))}) AS first_hour,
        arrayLast(entry -> entry.1 < toUInt32(first_hour), entries) AS last
    FROM agg_pool_depth FINAL
    WHERE chain_id = {chain_id:UInt32} AND deleted = 0
      AND hour >= subtractDays(arrayMin({days:Array(DateTime('UTC'))}), 1)
      AND hour <= arrayMax({days:Array(DateTime('UTC'))})
    GROUP BY pool
)
WHERE (last.5 > 0 OR last.6 > 0) AND NOT has(found.1, toUInt32(first_hour))
