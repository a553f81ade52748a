-- The pools that price the tokens in work_key (all_tokens = 1: every token) at some moments: pools with a quote asset
-- on known exchanges and without hooks, with their states a number of hours before each moment, and the volume of the
-- 24 hours that end there. Between candles a pool's state is the last close, which is the next candle's opening state.
WITH
work_key AS (SELECT * EXCEPT chain_id FROM work_key WHERE chain_id = {chain_id:UInt32}),
chosen AS
(
    SELECT pool, exchange, protocol, token0, token1, block_time AS created_at
    FROM fact_pool
    WHERE chain_id = {chain_id:UInt32} AND block_number <= {through:UInt64}
      AND lower(hex(factory)) IN {factories:Array(String)}
      AND empty(replaceAll(hooks, '\0', ''))
      AND (
          (
              lower(hex(token0)) IN {quotes:Array(String)}
              AND (
                  {all_tokens:UInt8} = 1 OR token1 IN (SELECT key FROM work_key)
                  OR lower(hex(token1)) IN {quotes:Array(String)}
              )
          )
          OR (
              lower(hex(token1)) IN {quotes:Array(String)}
              AND ({all_tokens:UInt8} = 1 OR token0 IN (SELECT key FROM work_key))
          )
      )
),
candles AS
(
    SELECT pool, bucket, has_open, open, typical, volume0_raw, volume1_raw, swaps
    FROM agg_pool_candle FINAL
    WHERE chain_id = {chain_id:UInt32} AND deleted = 0 AND pool IN (SELECT pool FROM chosen)
      AND bucket >= toStartOfFiveMinutes(arrayMin({moments:Array(DateTime('UTC'))}) - 86401)
),
past AS
(
    SELECT
        pool, as_of, groupArrayIf((hours, known, state), decided) AS states,
        sum(part0) AS volume0, sum(part1) AS volume1, sum(part) AS swaps
    FROM
    (
        SELECT
            pool,
            as_of,
            hours,
            countIf(bucket = reached) AS exact,
            countIf(bucket > reached) AS later,
            argMinIf((open, has_open), bucket, bucket > reached) AS opening,
            if(exact > 0, anyIf(typical, bucket = reached), opening.1) AS state,
            exact > 0 OR (later > 0 AND opening.2 = 1) AS known,
            exact > 0 OR later > 0 AS decided,
            sumIf(volume0_raw, in_day) AS part0,
            sumIf(volume1_raw, in_day) AS part1,
            sumIf(swaps, in_day) AS part
        FROM
        (
            SELECT *, arrayJoin({moments:Array(DateTime('UTC'))}) AS as_of,
                arrayJoin({hours_before:Array(UInt8)}) AS hours,
                   toStartOfFiveMinutes(as_of - 3600 * hours - 1) AS reached,
                   hours = 0 AND bucket >= as_of - 86400 AND bucket < as_of AS in_day
            FROM candles
        )
        WHERE bucket >= toStartOfFiveMinutes(as_of - 86401)
        GROUP BY pool, as_of, hours
    )
    GROUP BY pool, as_of
)
SELECT
    toUInt32(chosen.as_of) AS as_of,
    lower(hex(chosen.pool)) AS pool,
    chosen.exchange AS exchange,
    lower(hex(chosen.token0)) AS token0,
    lower(hex(chosen.token1)) AS token1,
    toUInt32(chosen.created_at) AS created_at,
    holding.state.1 AS reserve0_raw,
    holding.state.2 AS reserve1_raw,
    holding.state.3 AS sqrt_price_x96,
    holding.amount0_raw AS amount0_raw,
    holding.amount1_raw AS amount1_raw,
    toUInt32(holding.last_time) AS last_time,
    arrayMap(entry -> (entry.1, entry.2), past.states) AS past_known,
    arrayMap(entry -> entry.3.1, past.states) AS past_reserve0_raw,
    arrayMap(entry -> entry.3.2, past.states) AS past_reserve1_raw,
    arrayMap(entry -> entry.3.3, past.states) AS past_sqrt_price_x96,
    past.volume0 AS volume0_raw,
    past.volume1 AS volume1_raw,
    past.swaps AS swaps
FROM (SELECT *, arrayJoin({moments:Array(DateTime('UTC'))}) AS as_of FROM chosen) AS chosen
INNER JOIN
(
    SELECT pool, state, amount0_raw, amount1_raw, last_time
    FROM agg_pool_liquidity FINAL
    WHERE chain_id = {chain_id:UInt32} AND deleted = 0 AND pool IN (SELECT pool FROM chosen)
) AS holding ON holding.pool = chosen.pool
LEFT JOIN past ON past.pool = chosen.pool AND past.as_of = chosen.as_of
-- Too little work to be worth compiling expressions.
SETTINGS compile_expressions = 0, compile_aggregate_expressions = 0, compile_sort_description = 0
