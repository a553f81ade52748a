-- Each pool's time-weighted median state over the window that ends with the published block. The state before the
-- window counts until the first event in it. A state of the last block has lasted no time and has no weight.
WITH
work_key AS (SELECT * EXCEPT chain_id FROM work_key WHERE chain_id = {chain_id:UInt32}),
-- The states within the window, preceded by each pool's state when the window began.
states AS
(
    SELECT pool, 0 AS is_state, {window_start:DateTime('UTC')} AS block_time, toUInt64(0) AS block_number,
           toUInt32(0) AS log_index, argMax(close, bucket) AS state, max(last_time) AS seen_time
    FROM agg_pool_candle FINAL
    WHERE chain_id = {chain_id:UInt32} AND pool IN (SELECT key FROM work_key) AND deleted = 0
      AND bucket < {window_start:DateTime('UTC')}
    GROUP BY pool
    UNION ALL
    SELECT pool, 1 AS is_state, block_time, block_number, log_index,
           (reserve0_raw, reserve1_raw, sqrt_price_x96) AS state, block_time AS seen_time
    FROM fact_pool_state
    WHERE chain_id = {chain_id:UInt32} AND pool IN (SELECT key FROM work_key)
      AND block_number >= {from_block:UInt64} AND block_number <= {through:UInt64}
      AND block_time >= {window_start:DateTime('UTC')}
    UNION ALL
    SELECT pool, 1 AS is_state, block_time, block_number, log_index,
           (toUInt256(0), toUInt256(0), sqrt_price_x96) AS state, block_time AS seen_time
    FROM fact_swap
    WHERE chain_id = {chain_id:UInt32} AND pool IN (SELECT key FROM work_key) AND sqrt_price_x96 > 0
      AND block_number >= {from_block:UInt64} AND block_number <= {through:UInt64}
      AND block_time >= {window_start:DateTime('UTC')}
),
made AS
(
    SELECT
        pool,
        argMaxIf(state, (block_number, log_index), is_state = 1) AS close,
        max(seen_time) AS last_time,
        arraySort(
            piece -> (
                if(piece.1.3 > 0, toFloat64(piece.1.3),
                   sqrt(toFloat64(piece.1.2)) / sqrt(greatest(toFloat64(piece.1.1), 1.))),
                piece.1
            ),
            groupArrayIf((state, seconds), seconds > 0)
        ) AS ranked,
        arrayCumSum(ranked.2) AS reached,
        if(empty(ranked), close,
           ranked[arrayFirstIndex(sum_seconds -> sum_seconds * 2 >= arraySum(ranked.2), reached)].1) AS typical
    FROM
    (
        SELECT
            pool, is_state, block_number, log_index, state, seen_time,
            toInt64(leadInFrame(block_time, 1, {as_of:DateTime('UTC')}) OVER whole) - toInt64(block_time) AS seconds
        FROM states
        WINDOW whole AS (
            PARTITION BY pool ORDER BY is_state, block_number, log_index
            ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING
        )
    )
    GROUP BY pool
),
-- The weight of recently added or removed liquidity changes as time passes, with or without swaps.
given AS
(
    SELECT pool, max(block_time) AS last_time
    FROM fact_liquidity
    WHERE chain_id = {chain_id:UInt32} AND pool IN (SELECT key FROM work_key)
      AND block_number >= {from_block:UInt64} AND block_number <= {through:UInt64}
      AND block_time >= {window_start:DateTime('UTC')}
    GROUP BY pool
)
SELECT
    lower(hex(keys.key)) AS pool,
    made.pool != '' AND keys.key IN
    (
        SELECT pool FROM fact_pool
        WHERE chain_id = {chain_id:UInt32} AND block_number <= {through:UInt64} AND pool IN (SELECT key FROM work_key)
    ) AS known,
    made.typical.1 AS reserve0_raw,
    made.typical.2 AS reserve1_raw,
    made.typical.3 AS sqrt_price_x96,
    toUInt32(greatest(made.last_time, given.last_time)) AS last_time
FROM work_key AS keys
LEFT JOIN made ON made.pool = keys.key
LEFT JOIN given ON given.pool = keys.key
-- Too little work to be worth compiling expressions.
SETTINGS compile_expressions = 0, compile_aggregate_expressions = 0, compile_sort_description = 0
