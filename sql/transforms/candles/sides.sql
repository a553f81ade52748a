-- The pools of every token that is traded in some buckets of five minutes, by bucket: each at its typical state of the
-- bucket or, without events in it, its last one, with its depth of the hour before.
WITH
pools AS
(
    SELECT pool, side.1 AS token, side.2 AS quote, side.3 AS quote_side
    FROM
    (
        SELECT pool, token0, token1
        FROM fact_pool
        WHERE chain_id = {chain_id:UInt32} AND block_number <= {through:UInt64} AND pool IN (SELECT key FROM work_key)
        LIMIT 1 BY pool
    )
    ARRAY JOIN [(token0, token1, 1), (token1, token0, 0)] AS side
    WHERE has({quotes:Array(String)}, lower(hex(quote)))
),
-- The candles of each pool, after the last one before: its close holds on.
events AS
(
    SELECT pool, arraySort(entry -> entry.1, groupArray((bucket, typical, close, volume0_raw, volume1_raw, swaps)))
        AS entries
    FROM
    (
        SELECT pool, bucket, typical, close, volume0_raw, volume1_raw, swaps
        FROM agg_pool_candle FINAL
        WHERE chain_id = {chain_id:UInt32} AND deleted = 0 AND pool IN (SELECT key FROM work_key)
          AND bucket >= {from:DateTime('UTC')} AND bucket < {until:DateTime('UTC')}
        UNION ALL
        SELECT candle.pool AS pool, max(candle.bucket) AS bucket, argMax(candle.typical, candle.bucket) AS typical,
               argMax(candle.close, candle.bucket) AS close, toUInt256(0) AS volume0_raw,
               toUInt256(0) AS volume1_raw, toUInt32(0) AS swaps
        FROM agg_pool_candle AS candle FINAL
        WHERE chain_id = {chain_id:UInt32} AND deleted = 0 AND candle.pool IN (SELECT key FROM work_key)
          AND candle.bucket < {from:DateTime('UTC')}
        GROUP BY candle.pool
    )
    GROUP BY pool
),
depths AS
(
    SELECT pool, arraySort(entry -> entry.1, groupArray((hour, depth0_raw, depth1_raw, amount0_raw, amount1_raw)))
        AS entries
    FROM agg_pool_depth FINAL
    WHERE chain_id = {chain_id:UInt32} AND deleted = 0 AND pool IN (SELECT key FROM work_key)
      AND hour >= toStartOfDay(subtractHours({from:DateTime('UTC')}, 1)) AND hour < {until:DateTime('UTC')}
    GROUP BY pool
),
buckets AS
(
    SELECT DISTINCT token, arrayJoin(arrayFilter(at -> at >= {from:DateTime('UTC')}, entries.1)) AS bucket
    FROM events
    INNER JOIN pools ON pools.pool = events.pool
)
SELECT
    lower(hex(buckets.token)) AS token_hex,
    toUInt32(buckets.bucket) AS bucket_seconds,
    lower(hex(pools.quote)) AS quote_hex,
    pools.quote_side AS quote_side,
    arrayLast(entry -> entry.1 <= buckets.bucket, events.entries) AS event,
    event.1 = buckets.bucket AS has_events,
    if(has_events, event.2, event.3) AS state,
    state.1 AS reserve0_raw,
    state.2 AS reserve1_raw,
    state.3 AS sqrt_price_x96,
    if(has_events, if(quote_side = 1, event.5, event.4), toUInt256(0)) AS volume_raw,
    if(has_events, event.6, 0) AS swaps,
    arrayLast(entry -> entry.1 < toStartOfHour(buckets.bucket), depths.entries) AS found,
    -- A pool with depth has a row for the first hour of every day.
    found.1 >= toStartOfDay(subtractHours(toStartOfHour(buckets.bucket), 1)) AS has_depth,
    if(has_depth, if(quote_side = 1, found.3, found.2), toUInt256(0)) AS depth_raw,
    if(has_depth, if(quote_side = 1, found.5, found.4), toUInt256(0)) AS quote_raw
FROM buckets
INNER JOIN pools ON pools.token = buckets.token
INNER JOIN events ON events.pool = pools.pool
LEFT JOIN depths ON depths.pool = pools.pool
WHERE event.1 > toDateTime(0, 'UTC')
ORDER BY token_hex, bucket_seconds
-- Too little work to be worth compiling expressions.
SETTINGS compile_expressions = 0, compile_aggregate_expressions = 0, compile_sort_description = 0
