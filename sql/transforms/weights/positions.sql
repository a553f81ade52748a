-- Net liquidity per tick range of the hours in work_pool_hour that was there for at least held_seconds of the hour.
WITH work_pool_hour AS (SELECT * EXCEPT chain_id FROM work_pool_hour WHERE chain_id = {chain_id:UInt32})
SELECT lower(hex(pool)) AS pool_hex, toUInt32(hour) AS hour_seconds, tick_lower, tick_upper, held AS liquidity
FROM
(
    SELECT
        pool, hour, tick_lower, tick_upper,
        arraySort(groupArrayIf((block_number, log_index, block_time, liquidity_delta), block_time >= hour)) AS moves,
        sumIf(liquidity_delta, block_time < hour) AS before,
        arrayPushFront(arrayMap(added -> before + added, arrayCumSum(moves.4)), before) AS amounts,
        arrayMap(
            (since, until) -> toInt64(until) - toInt64(since),
            arrayPushFront(moves.3, hour), arrayPushBack(moves.3, addHours(hour, 1))
        ) AS seconds,
        arrayReverseSort(arrayZip(amounts, seconds)) AS largest,
        largest[arrayFirstIndex(reached -> reached >= {held_seconds:UInt32}, arrayCumSum(largest.2))].1 AS held
    FROM fact_liquidity
    INNER JOIN work_pool_hour AS work USING (pool)
    WHERE chain_id = {chain_id:UInt32} AND block_number <= {through:UInt64}
      AND pool IN (SELECT pool FROM work_pool_hour) AND block_time < addHours(work.hour, 1)
    GROUP BY pool, hour, tick_lower, tick_upper
)
WHERE held > 0
