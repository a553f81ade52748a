-- Each pool's time-weighted median state over the window that ends with the published block; the state it came with
-- counts until the first event. A state of the last block has not held yet and weighs nothing.
WITH
recent AS
(
    SELECT
        pool, block_time, state,
        leadInFrame(block_time, 1, {as_of:DateTime('UTC')}) OVER whole AS next_time,
        row_number() OVER whole AS position,
        block_number, log_index
    FROM
    (
        SELECT pool, block_time, block_number, log_index, (reserve0_raw, reserve1_raw, sqrt_price_x96) AS state
        FROM fact_pool_state
        WHERE chain_id = {chain_id:UInt32} AND pool IN (SELECT key FROM work_key)
          AND block_number >= {from_block:UInt64} AND block_number <= {through:UInt64}
          AND block_time >= {window_start:DateTime('UTC')}
        UNION ALL
        SELECT pool, block_time, block_number, log_index, (toUInt256(0), toUInt256(0), sqrt_price_x96) AS state
        FROM fact_swap
        WHERE chain_id = {chain_id:UInt32} AND pool IN (SELECT key FROM work_key) AND sqrt_price_x96 > 0
          AND block_number >= {from_block:UInt64} AND block_number <= {through:UInt64}
          AND block_time >= {window_start:DateTime('UTC')}
    )
    WINDOW whole AS (
        PARTITION BY pool ORDER BY block_number, log_index ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING
    )
),
carried AS
(
    SELECT pool, argMax(close, bucket) AS state, max(last_time) AS last_time
    FROM agg_pool_candle FINAL
    WHERE chain_id = {chain_id:UInt32} AND pool IN (SELECT key FROM work_key) AND deleted = 0
      AND bucket < {window_start:DateTime('UTC')}
    GROUP BY pool
),
pieces AS
(
    SELECT pool, state, toInt64(next_time) - toInt64(block_time) AS seconds FROM recent
    UNION ALL
    SELECT carried.pool AS pool, carried.state AS state,
           toInt64(if(recent.pool = '', {as_of:DateTime('UTC')}, recent.block_time))
               - toInt64({window_start:DateTime('UTC')}) AS seconds
    FROM carried
    LEFT JOIN (SELECT pool, block_time FROM recent WHERE position = 1) AS recent ON recent.pool = carried.pool
),
medians AS
(
    SELECT
        pool,
        if(empty(ranked), (toUInt256(0), toUInt256(0), toUInt256(0)),
           ranked[arrayFirstIndex(sum_seconds -> sum_seconds * 2 >= total, reached)].1) AS state,
        notEmpty(ranked) AS known
    FROM
    (
        SELECT pool, ranked, arrayCumSum(ranked.2) AS reached, arraySum(ranked.2) AS total
        FROM
        (
            SELECT
                pool,
                arraySort(
                    piece -> (
                        if(piece.1.3 > 0, toFloat64(piece.1.3),
                           sqrt(toFloat64(piece.1.2)) / sqrt(greatest(toFloat64(piece.1.1), 1.))),
                        piece.1
                    ),
                    groupArrayIf((state, toInt64(seconds)), seconds > 0)
                ) AS ranked
            FROM pieces
            GROUP BY pool
        )
    )
),
closes AS
(
    SELECT pool, argMax(state, (block_number, log_index)) AS state, max(block_time) AS last_time
    FROM recent
    GROUP BY pool
),
-- Liquidity that came or went lately counts differently as time passes, whether or not anybody swaps.
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
    known_pool.pool != '' AND (closes.pool != '' OR carried.pool != '') AS known,
    if(medians.known, medians.state, closes.state) AS state,
    state.1 AS reserve0_raw,
    state.2 AS reserve1_raw,
    state.3 AS sqrt_price_x96,
    toUInt32(greatest(closes.last_time, carried.last_time, given.last_time)) AS last_time
FROM work_key AS keys
LEFT JOIN
(
    SELECT pool FROM fact_pool
    WHERE chain_id = {chain_id:UInt32} AND block_number <= {through:UInt64} AND pool IN (SELECT key FROM work_key)
) AS known_pool ON known_pool.pool = keys.key
LEFT JOIN medians ON medians.pool = keys.key
LEFT JOIN closes ON closes.pool = keys.key
LEFT JOIN carried ON carried.pool = keys.key
LEFT JOIN given ON given.pool = keys.key
