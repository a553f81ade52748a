-- Candles of the touched pools from their first touched bucket on; whole buckets are computed from the facts. A state
-- holds from its block's time until the next one; a bucket's typical state is the time-weighted median by price.
INSERT INTO agg_pool_candle
WITH
work_pool AS (SELECT * EXCEPT chain_id FROM work_pool WHERE chain_id = {chain_id:UInt32}),
-- The states of each pool, preceded by its last close, at time 0.
states AS
(
    SELECT candle.pool AS pool, 0 AS is_state, toDateTime(0, 'UTC') AS block_time, toUInt64(0) AS block_number,
           toUInt32(0) AS log_index, argMax(candle.close, candle.bucket) AS state, toUInt256(0) AS liquidity,
           toInt32(0) AS tick
    FROM agg_pool_candle AS candle FINAL
    INNER JOIN work_pool AS work ON work.pool = candle.pool
    WHERE candle.chain_id = {chain_id:UInt32} AND candle.pool IN (SELECT pool FROM work_pool)
      AND candle.deleted = 0 AND candle.bucket < work.from_bucket
    GROUP BY pool
    UNION ALL
    SELECT pool, 1 AS is_state, block_time, block_number, log_index,
           (reserve0_raw, reserve1_raw, sqrt_price_x96) AS state, toUInt256(0) AS liquidity, tick
    FROM fact_pool_state AS item
    INNER JOIN work_pool AS work ON work.pool = item.pool
    WHERE chain_id = {chain_id:UInt32} AND item.pool IN (SELECT pool FROM work_pool)
      AND block_number >= {from_block:UInt64} AND block_number <= {through:UInt64} AND block_time >= from_bucket
    UNION ALL
    SELECT pool, 1 AS is_state, block_time, block_number, log_index,
           (toUInt256(0), toUInt256(0), sqrt_price_x96) AS state, liquidity, tick
    FROM fact_swap AS item
    INNER JOIN work_pool AS work ON work.pool = item.pool
    WHERE chain_id = {chain_id:UInt32} AND item.pool IN (SELECT pool FROM work_pool) AND sqrt_price_x96 > 0
      AND block_number >= {from_block:UInt64} AND block_number <= {through:UInt64} AND block_time >= from_bucket
),
-- A state holds until the next one; it counts in its own bucket and in that of the next state.
intervals AS
(
    SELECT
        pool, is_state, block_time, block_number, log_index, state, liquidity, tick,
        toStartOfFiveMinutes(block_time) AS bucket,
        leadInFrame(block_time, 1, toDateTime(0, 'UTC')) OVER whole AS next_time,
        row_number() OVER whole > 1 AS has_previous,
        lagInFrame(toStartOfFiveMinutes(block_time), 1, toDateTime(0, 'UTC')) OVER whole AS previous_bucket,
        lagInFrame(state, 1, (toUInt256(0), toUInt256(0), toUInt256(0))) OVER whole AS previous_state
    FROM states
    WINDOW whole AS (
        PARTITION BY pool ORDER BY is_state, block_number, log_index
        ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING
    )
),
made AS
(
    SELECT
        pool, bucket,
        argMax(state, (block_number, log_index)) AS close,
        argMax((liquidity, tick), (block_number, log_index)) AS rest,
        argMin(previous_state, (block_number, log_index)) AS open,
        argMin(has_previous, (block_number, log_index)) AS has_open,
        max(block_time) AS last_time,
        arraySort(
            piece -> (
                if(piece.1.3 > 0, toFloat64(piece.1.3),
                   sqrt(toFloat64(piece.1.2)) / sqrt(greatest(toFloat64(piece.1.1), 1.))),
                piece.1
            ),
            arrayFilter(piece -> piece.2 > 0, groupArrayArray([
                (
                    state,
                    toInt64(if(next_time = toDateTime(0, 'UTC') OR next_time >= bucket + 300, bucket + 300, next_time)
                            - block_time)
                ),
                (previous_state, if(has_previous AND previous_bucket != bucket, toInt64(block_time - bucket), 0))
            ]))
        ) AS ranked,
        arrayCumSum(ranked.2) AS reached,
        if(empty(ranked), close,
           ranked[arrayFirstIndex(sum_seconds -> sum_seconds * 2 >= arraySum(ranked.2), reached)].1) AS typical
    FROM intervals
    WHERE is_state = 1
    GROUP BY pool, bucket
),
parts AS
(
    SELECT pool, bucket, 'made' AS part, has_open, open, typical, close, rest, toUInt256(0) AS volume0,
           toUInt256(0) AS volume1, toUInt32(0) AS swaps, last_time
    FROM made
    UNION ALL
    SELECT item.pool AS pool, toStartOfFiveMinutes(block_time) AS bucket, 'volume' AS part, 0 AS has_open,
           (toUInt256(0), toUInt256(0), toUInt256(0)) AS open, open AS typical, open AS close,
           (toUInt256(0), toInt32(0)) AS rest,
           sum(toUInt256(abs(amount0_raw))) AS volume0, sum(toUInt256(abs(amount1_raw))) AS volume1,
           toUInt32(count()) AS swaps, max(block_time) AS last_time
    FROM fact_swap AS item
    INNER JOIN work_pool AS work ON work.pool = item.pool
    WHERE chain_id = {chain_id:UInt32} AND item.pool IN (SELECT pool FROM work_pool)
      AND block_number >= {from_block:UInt64} AND block_number <= {through:UInt64} AND block_time >= from_bucket
    GROUP BY pool, bucket
    UNION ALL
    SELECT candle.pool AS pool, candle.bucket AS bucket, 'standing' AS part, 0 AS has_open,
           (toUInt256(0), toUInt256(0), toUInt256(0)) AS open, open AS typical, open AS close,
           (toUInt256(0), toInt32(0)) AS rest, toUInt256(0) AS volume0, toUInt256(0) AS volume1, toUInt32(0) AS swaps,
           toDateTime(0, 'UTC') AS last_time
    FROM agg_pool_candle AS candle FINAL
    INNER JOIN work_pool AS work ON work.pool = candle.pool
    WHERE candle.chain_id = {chain_id:UInt32} AND candle.pool IN (SELECT pool FROM work_pool)
      AND candle.deleted = 0 AND candle.bucket >= work.from_bucket
)
SELECT
    {chain_id:UInt32},
    pool,
    bucket,
    anyIf(has_open, part = 'made'),
    anyIf(open, part = 'made'),
    anyIf(typical, part = 'made'),
    anyIf(close, part = 'made'),
    anyIf(rest.1, part = 'made'),
    anyIf(rest.2, part = 'made'),
    max(volume0),
    max(volume1),
    max(swaps),
    max(last_time),
    countIf(part = 'made') = 0,
    {version:UInt64}
FROM parts
GROUP BY pool, bucket
HAVING countIf(part != 'volume') > 0
-- Too little work to be worth compiling expressions.
SETTINGS compile_expressions = 0, compile_aggregate_expressions = 0, compile_sort_description = 0
