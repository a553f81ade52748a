-- Net liquidity per tick range of the evaluated pools: the time-weighted median over the window, as for the pools'
-- states. Liquidity that was present for less than half of the window does not count. The window of a younger pool is
-- its age.
WITH work_key AS (SELECT * EXCEPT chain_id FROM work_key WHERE chain_id = {chain_id:UInt32})
SELECT lower(hex(pool)) AS pool_hex, tick_lower, tick_upper, held AS liquidity
FROM
(
    SELECT
        pool, tick_lower, tick_upper,
        greatest(created.created_at, {window_start:DateTime('UTC')}) AS opening,
        arraySort(groupArrayIf((block_number, log_index, block_time, liquidity_delta), block_time >= opening)) AS moves,
        sumIf(liquidity_delta, block_time < opening) AS before,
        arrayPushFront(arrayMap(added -> before + added, arrayCumSum(moves.4)), before) AS amounts,
        arrayMap(
            (since, until) -> toInt64(until) - toInt64(since),
            arrayPushFront(moves.3, opening), arrayPushBack(moves.3, {as_of:DateTime('UTC')})
        ) AS seconds,
        arraySort(piece -> piece.1, arrayZip(amounts, seconds)) AS ranked,
        if(
            arraySum(seconds) > 0,
            ranked[arrayFirstIndex(reached -> reached * 2 >= arraySum(seconds), arrayCumSum(ranked.2))].1,
            amounts[-1]
        ) AS held
    FROM fact_liquidity
    INNER JOIN
    (
        SELECT pool, any(block_time) AS created_at
        FROM fact_pool
        WHERE chain_id = {chain_id:UInt32} AND block_number <= {through:UInt64} AND pool IN (SELECT key FROM work_key)
        GROUP BY pool
    ) AS created USING (pool)
    WHERE chain_id = {chain_id:UInt32} AND block_number <= {through:UInt64} AND pool IN (SELECT key FROM work_key)
    GROUP BY pool, tick_lower, tick_upper, created.created_at
)
WHERE held > 0
