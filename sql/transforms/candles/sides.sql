-- The pools of every token that is traded in some buckets of five minutes, by bucket: each at its typical state of the
-- bucket or, without events in it, its last one, with its depth of the hour before.
WITH
work_key AS (SELECT * EXCEPT chain_id FROM work_key WHERE chain_id = {chain_id:UInt32}),
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
),
wanted AS
(
    SELECT buckets.token AS token, buckets.bucket AS bucket, toStartOfHour(bucket) AS hour, pools.pool AS pool,
           pools.quote AS quote, pools.quote_side AS quote_side
    FROM
    (
        SELECT DISTINCT token, bucket
        FROM agg_pool_candle AS candle FINAL
        INNER JOIN pools ON pools.pool = candle.pool
        WHERE candle.chain_id = {chain_id:UInt32} AND candle.deleted = 0
          AND candle.bucket >= {from:DateTime('UTC')} AND candle.bucket < {until:DateTime('UTC')}
    ) AS buckets
    INNER JOIN pools ON pools.token = buckets.token
)
SELECT
    lower(hex(wanted.token)) AS token_hex,
    toUInt32(wanted.bucket) AS bucket_seconds,
    lower(hex(wanted.quote)) AS quote_hex,
    wanted.quote_side AS quote_side,
    events.bucket = wanted.bucket AS has_events,
    if(has_events, events.typical, events.close) AS state,
    state.1 AS reserve0_raw,
    state.2 AS reserve1_raw,
    state.3 AS sqrt_price_x96,
    if(has_events, if(quote_side = 1, events.volume1_raw, events.volume0_raw), toUInt256(0)) AS volume_raw,
    if(has_events, events.swaps, 0) AS swaps,
    -- A pool with depth has a row for the first hour of every day.
    depths.hour >= toStartOfDay(subtractHours(wanted.hour, 1)) AS has_depth,
    if(has_depth, if(quote_side = 1, depths.depth1_raw, depths.depth0_raw), toUInt256(0)) AS depth_raw,
    if(has_depth, if(quote_side = 1, depths.amount1_raw, depths.amount0_raw), toUInt256(0)) AS quote_raw
FROM wanted
ASOF INNER JOIN events ON events.pool = wanted.pool AND wanted.bucket >= events.bucket
ASOF LEFT JOIN
(
    SELECT pool, hour, depth0_raw, depth1_raw, amount0_raw, amount1_raw
    FROM agg_pool_depth FINAL
    WHERE chain_id = {chain_id:UInt32} AND deleted = 0 AND pool IN (SELECT key FROM work_key)
      AND hour >= toStartOfDay(subtractHours({from:DateTime('UTC')}, 1)) AND hour < {until:DateTime('UTC')}
) AS depths ON depths.pool = wanted.pool AND wanted.hour > depths.hour
ORDER BY token_hex, bucket_seconds
-- Too little work to be worth compiling expressions.
SETTINGS compile_expressions = 0, compile_aggregate_expressions = 0, compile_sort_description = 0
