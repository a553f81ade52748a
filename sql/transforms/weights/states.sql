-- States of the pools in work_key in the hours with events and the hours after those: the time-weighted median of each
-- hour, and the reserves that were there for at least held_seconds of it. Of a concentrated pool, the price that was at
-- least reached for as long, and the one that was not exceeded: at these it has the least of token1 and of token0.
-- Before a pool's first state it held nothing. What genesis made, perhaps years before, is an event of the first hour of
-- the chain's history.
WITH
work_key AS (SELECT * EXCEPT chain_id FROM work_key WHERE chain_id = {chain_id:UInt32}),
-- The states from the hour before on, preceded by each pool's last state, at time 0. Liquidity changes no state, but it
-- is an event.
states AS
(
    SELECT pool, 0 AS kind, toDateTime(0, 'UTC') AS block_time, toUInt64(0) AS block_number, toUInt32(0) AS log_index,
           argMax(close, bucket) AS state
    FROM agg_pool_candle FINAL
    WHERE chain_id = {chain_id:UInt32} AND pool IN (SELECT key FROM work_key) AND deleted = 0
      AND bucket < subtractHours({from_hour:DateTime('UTC')}, 1)
    GROUP BY pool
    UNION ALL
    SELECT pool, 1 AS kind, block_time, block_number, log_index, (reserve0_raw, reserve1_raw, sqrt_price_x96) AS state
    FROM fact_pool_state
    WHERE chain_id = {chain_id:UInt32} AND pool IN (SELECT key FROM work_key)
      AND block_number >= {from_block:UInt64} AND block_number <= {through:UInt64}
      AND block_time >= subtractHours({from_hour:DateTime('UTC')}, 1) AND block_time < {until:DateTime('UTC')}
    UNION ALL
    SELECT pool, 1 AS kind, block_time, block_number, log_index,
           (toUInt256(0), toUInt256(0), sqrt_price_x96) AS state
    FROM fact_swap
    WHERE chain_id = {chain_id:UInt32} AND pool IN (SELECT key FROM work_key) AND sqrt_price_x96 > 0
      AND block_number >= {from_block:UInt64} AND block_number <= {through:UInt64}
      AND block_time >= subtractHours({from_hour:DateTime('UTC')}, 1) AND block_time < {until:DateTime('UTC')}
    UNION ALL
    SELECT pool, 2 AS kind, block_time, block_number, log_index,
           (toUInt256(0), toUInt256(0), toUInt256(0)) AS state
    FROM fact_liquidity
    WHERE chain_id = {chain_id:UInt32} AND pool IN (SELECT key FROM work_key)
      AND block_number >= {from_block:UInt64} AND block_number <= {through:UInt64}
      AND block_time >= subtractHours({from_hour:DateTime('UTC')}, 1) AND block_time < {until:DateTime('UTC')}
),
-- Of each of these hours the state in which it began and those within it.
hours AS
(
    SELECT
        pool,
        arrayMap(
            entry -> (toUInt32(entry.4), entry.5),
            arraySort(groupArrayIf((kind, block_number, log_index, block_time, state), kind < 2))
        ) AS known,
        groupUniqArrayIf(
            if(kind > 0, toUInt32(toStartOfHour(block_time)), {history_from:UInt32}),
            kind > 0 OR toUInt32({from_hour:DateTime('UTC')}) = {history_from:UInt32}
        ) AS event_hours,
        arrayFilter(
            hour -> hour >= toUInt32({from_hour:DateTime('UTC')}) AND hour < toUInt32({until:DateTime('UTC')}),
            arrayDistinct(arrayConcat(event_hours, arrayMap(hour -> toUInt32(hour + 3600), event_hours)))
        ) AS measured,
        arrayMap(
            hour ->
            (
                hour,
                arraySlice(
                    known,
                    greatest(1, toInt64(arrayCount(entry -> entry.1 <= hour, known))),
                    toInt64(arrayCount(entry -> entry.1 < hour + 3600, known)) + 1
                        - greatest(1, toInt64(arrayCount(entry -> entry.1 <= hour, known)))
                )
            ),
            measured
        ) AS parts
    FROM states
    GROUP BY pool
)
SELECT
    lower(hex(pool)) AS pool_hex,
    part.1 AS hour,
    has(event_hours, part.1) AS moved,
    part.2 AS held,
    arrayFilter(
        piece -> piece.2 > 0,
        arrayMap(
            (entry, until) -> (entry.2, toInt64(until) - toInt64(greatest(entry.1, hour))),
            held,
            arrayPushBack(arrayPopFront(held.1), hour + 3600)
        )
    ) AS pieces,
    arraySort(
        piece -> (
            if(piece.1.3 > 0, toFloat64(piece.1.3),
               sqrt(toFloat64(piece.1.2)) / sqrt(greatest(toFloat64(piece.1.1), 1.))),
            piece.1
        ),
        pieces
    ) AS ranked,
    arrayCumSum(ranked.2) AS reached,
    ranked[arrayFirstIndex(sum_seconds -> sum_seconds * 2 >= arraySum(ranked.2), reached)].1 AS typical,
    arrayReverseSort(arrayMap(piece -> (piece.1.1, piece.2), pieces)) AS largest0,
    arrayReverseSort(arrayMap(piece -> (piece.1.2, piece.2), pieces)) AS largest1,
    arraySort(piece -> piece.1, arrayMap(piece -> (piece.1.3, piece.2), pieces)) AS roots,
    arrayReverse(roots) AS highest,
    highest[arrayFirstIndex(seconds -> seconds >= {held_seconds:UInt32}, arrayCumSum(highest.2))].1 AS low_root,
    roots[arrayFirstIndex(seconds -> seconds >= {held_seconds:UInt32}, arrayCumSum(roots.2))].1 AS high_root,
    typical.1 AS reserve0_raw,
    typical.2 AS reserve1_raw,
    typical.3 AS sqrt_price_x96,
    largest0[arrayFirstIndex(seconds -> seconds >= {held_seconds:UInt32}, arrayCumSum(largest0.2))].1 AS held0_raw,
    largest1[arrayFirstIndex(seconds -> seconds >= {held_seconds:UInt32}, arrayCumSum(largest1.2))].1 AS held1_raw
FROM hours
ARRAY JOIN parts AS part
WHERE notEmpty(pieces)
ORDER BY pool_hex, hour
