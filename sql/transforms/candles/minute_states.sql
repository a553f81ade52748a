-- States of the pools in work_key by the minute: the time-weighted median of the five minutes that end with it, for
-- minutes with events and the five after them; from then on the last state holds. Minute 0 is the state before all.
WITH
work_key AS (SELECT * EXCEPT chain_id FROM work_key WHERE chain_id = {chain_id:UInt32}),
-- The states from five minutes before on, preceded by each pool's last state, at time 0.
states AS
(
    SELECT pool, toDateTime(0, 'UTC') AS block_time, toUInt64(0) AS block_number, toUInt32(0) AS log_index,
           argMax(close, bucket) AS state
    FROM agg_pool_candle FINAL
    WHERE chain_id = {chain_id:UInt32} AND pool IN (SELECT key FROM work_key) AND deleted = 0
      AND bucket < {from:DateTime('UTC')} - 300
    GROUP BY pool
    UNION ALL
    SELECT pool, block_time, block_number, log_index, (reserve0_raw, reserve1_raw, sqrt_price_x96) AS state
    FROM fact_pool_state
    WHERE chain_id = {chain_id:UInt32} AND pool IN (SELECT key FROM work_key)
      AND block_number >= {from_block:UInt64} AND block_number <= {through:UInt64}
      AND block_time >= {from:DateTime('UTC')} - 300 AND block_time < {until:DateTime('UTC')}
    UNION ALL
    SELECT pool, block_time, block_number, log_index, (toUInt256(0), toUInt256(0), sqrt_price_x96) AS state
    FROM fact_swap
    WHERE chain_id = {chain_id:UInt32} AND pool IN (SELECT key FROM work_key) AND sqrt_price_x96 > 0
      AND block_number >= {from_block:UInt64} AND block_number <= {through:UInt64}
      AND block_time >= {from:DateTime('UTC')} - 300 AND block_time < {until:DateTime('UTC')}
),
intervals AS
(
    SELECT
        pool, state, toInt64(block_time) AS since,
        toInt64(leadInFrame(block_time, 1, {until:DateTime('UTC')}) OVER whole) AS until
    FROM states
    WINDOW whole AS (
        PARTITION BY pool ORDER BY block_number, log_index ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING
    )
),
-- A state counts in the windows around its beginning and around its end.
pieces AS
(
    SELECT
        pool, state,
        arrayJoin(arrayDistinct(arrayConcat(
            if(since = 0, [toInt64(0)], arrayMap(each -> intDiv(since, 60) * 60 + each * 60, range(6))),
            if(until = toInt64({until:DateTime('UTC')}), [],
               arrayMap(each -> intDiv(until, 60) * 60 + each * 60, range(5)))
        ))) AS minute,
        if(minute = 0, 1, least(until, minute + 60) - greatest(since, minute - 240)) AS seconds
    FROM intervals
    WHERE seconds > 0 AND (minute = 0 OR (minute >= toInt64({from:DateTime('UTC')})
                                          AND minute < toInt64({until:DateTime('UTC')})))
)
SELECT
    lower(hex(pool)) AS pool_hex,
    minute,
    arraySort(
        piece -> (
            if(piece.1.3 > 0, toFloat64(piece.1.3),
               sqrt(toFloat64(piece.1.2)) / sqrt(greatest(toFloat64(piece.1.1), 1.))),
            piece.1
        ),
        groupArray((state, seconds))
    ) AS ranked,
    arrayCumSum(ranked.2) AS reached,
    ranked[arrayFirstIndex(sum_seconds -> sum_seconds * 2 >= arraySum(ranked.2), reached)].1 AS typical,
    typical.1 AS reserve0_raw,
    typical.2 AS reserve1_raw,
    typical.3 AS sqrt_price_x96
FROM pieces
GROUP BY pool, minute
ORDER BY minute, pool_hex
