-- Candles of the touched pools from their first touched bucket on, whole buckets from the facts. A state holds from its
-- block's time until the next one; within a bucket the typical state is the time-weighted median, ordered by price.
INSERT INTO agg_pool_candle
WITH
carried AS
(
    SELECT candle.pool AS pool, argMax(candle.close, candle.bucket) AS state
    FROM agg_pool_candle AS candle FINAL
    INNER JOIN work_pool AS work ON work.pool = candle.pool
    WHERE candle.chain_id = {chain_id:UInt32} AND candle.pool IN (SELECT pool FROM work_pool)
      AND candle.deleted = 0 AND candle.bucket < work.from_bucket
    GROUP BY pool
),
states AS
(
    SELECT pool, block_time, block_number, log_index, (reserve0_raw, reserve1_raw, sqrt_price_x96) AS state,
           toUInt256(0) AS liquidity, tick
    FROM fact_pool_state AS item
    INNER JOIN work_pool AS work ON work.pool = item.pool
    WHERE chain_id = {chain_id:UInt32} AND item.pool IN (SELECT pool FROM work_pool)
      AND block_number >= {from_block:UInt64} AND block_number <= {through:UInt64} AND block_time >= from_bucket
    UNION ALL
    SELECT pool, block_time, block_number, log_index, (toUInt256(0), toUInt256(0), sqrt_price_x96) AS state,
           liquidity, tick
    FROM fact_swap AS item
    INNER JOIN work_pool AS work ON work.pool = item.pool
    WHERE chain_id = {chain_id:UInt32} AND item.pool IN (SELECT pool FROM work_pool) AND sqrt_price_x96 > 0
      AND block_number >= {from_block:UInt64} AND block_number <= {through:UInt64} AND block_time >= from_bucket
),
-- The next state's time says how long one held; it counts in its own bucket and in that of the next state.
intervals AS
(
    SELECT
        pool, block_time, block_number, log_index, state, liquidity, tick,
        toStartOfFiveMinutes(block_time) AS bucket,
        leadInFrame(block_time, 1, toDateTime(0, 'UTC')) OVER whole AS next_time,
        row_number() OVER whole AS position,
        lagInFrame(toStartOfFiveMinutes(block_time), 1, toDateTime(0, 'UTC')) OVER whole AS previous_bucket,
        lagInFrame(state, 1, state) OVER whole AS previous_state
    FROM states
    WINDOW whole AS (
        PARTITION BY pool ORDER BY block_number, log_index ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING
    )
),
pieces AS
(
    SELECT
        pool, bucket, state,
        if(next_time = toDateTime(0, 'UTC') OR next_time >= bucket + 300, bucket + 300, next_time) - block_time AS seconds
    FROM intervals
    UNION ALL
    SELECT
        intervals.pool AS pool, bucket,
        if(position = 1, carried.state, previous_state) AS state,
        block_time - bucket AS seconds
    FROM intervals
    LEFT JOIN carried ON carried.pool = intervals.pool
    WHERE (position = 1 AND carried.pool != '') OR (position > 1 AND previous_bucket != bucket)
),
typical_states AS
(
    SELECT
        pool, bucket,
        if(empty(ranked), (toUInt256(0), toUInt256(0), toUInt256(0)),
           ranked[arrayFirstIndex(sum_seconds -> sum_seconds * 2 >= total, reached)].1) AS state,
        notEmpty(ranked) AS known
    FROM
    (
        SELECT pool, bucket, ranked, arrayCumSum(ranked.2) AS reached, arraySum(ranked.2) AS total
        FROM
        (
            SELECT
                pool, bucket,
                arraySort(
                    piece -> (
                        if(piece.1.3 > 0, toFloat64(piece.1.3),
                           sqrt(toFloat64(piece.1.2)) / sqrt(greatest(toFloat64(piece.1.1), 1.))),
                        piece.1
                    ),
                    groupArrayIf((state, toInt64(seconds)), seconds > 0)
                ) AS ranked
            FROM pieces
            GROUP BY pool, bucket
        )
    )
),
closes AS
(
    SELECT
        intervals.pool AS pool, bucket,
        argMax(state, (block_number, log_index)) AS close,
        argMax((liquidity, tick), (block_number, log_index)) AS rest,
        argMin(if(position = 1, carried.state, previous_state), (block_number, log_index)) AS open,
        argMin(position > 1 OR carried.pool != '', (block_number, log_index)) AS has_open,
        max(block_time) AS last_time
    FROM intervals
    LEFT JOIN carried ON carried.pool = intervals.pool
    GROUP BY pool, bucket
),
volumes AS
(
    SELECT
        item.pool AS pool, toStartOfFiveMinutes(block_time) AS bucket,
        sum(toUInt256(abs(amount0_raw))) AS volume0, sum(toUInt256(abs(amount1_raw))) AS volume1,
        toUInt32(count()) AS swaps, max(block_time) AS last_time
    FROM fact_swap AS item
    INNER JOIN work_pool AS work ON work.pool = item.pool
    WHERE chain_id = {chain_id:UInt32} AND item.pool IN (SELECT pool FROM work_pool)
      AND block_number >= {from_block:UInt64} AND block_number <= {through:UInt64} AND block_time >= from_bucket
    GROUP BY pool, bucket
),
standing AS
(
    SELECT candle.pool AS pool, candle.bucket AS bucket
    FROM agg_pool_candle AS candle FINAL
    INNER JOIN work_pool AS work ON work.pool = candle.pool
    WHERE candle.chain_id = {chain_id:UInt32} AND candle.pool IN (SELECT pool FROM work_pool)
      AND candle.deleted = 0 AND candle.bucket >= work.from_bucket
),
keys AS (SELECT pool, bucket FROM standing UNION DISTINCT SELECT pool, bucket FROM closes)
SELECT
    {chain_id:UInt32},
    keys.pool,
    keys.bucket,
    closes.has_open,
    closes.open,
    if(typical_states.known, typical_states.state, closes.close),
    closes.close,
    closes.rest.1,
    closes.rest.2,
    volumes.volume0,
    volumes.volume1,
    volumes.swaps,
    greatest(closes.last_time, volumes.last_time),
    closes.pool = '',
    {version:UInt64}
FROM keys
LEFT JOIN closes ON closes.pool = keys.pool AND closes.bucket = keys.bucket
LEFT JOIN typical_states ON typical_states.pool = keys.pool AND typical_states.bucket = keys.bucket
LEFT JOIN volumes ON volumes.pool = keys.pool AND volumes.bucket = keys.bucket
