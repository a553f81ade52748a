-- Pools with their last price: 0 where it is unknown, and of pools whose states are reserves.
WITH wanted AS (SELECT unhex(arrayJoin({keys:Array(String)})) AS pool)
SELECT
    lower(hex(known.pool)) AS pool_hex,
    known.protocol AS protocol,
    lower(hex(known.token0)) AS token0_hex,
    lower(hex(known.token1)) AS token1_hex,
    last.price AS sqrt_price_x96
FROM
(
    SELECT pool, protocol, token0, token1
    FROM fact_pool
    WHERE chain_id = {chain_id:UInt32} AND block_number < {before:UInt64} AND pool IN (SELECT pool FROM wanted)
    LIMIT 1 BY pool
) AS known
LEFT JOIN
(
    SELECT pool, argMax(sqrt_price_x96, (block_number, log_index)) AS price
    FROM
    (
        SELECT pool, block_number, log_index, sqrt_price_x96
        FROM fact_pool_state
        WHERE chain_id = {chain_id:UInt32} AND block_number < {before:UInt64} AND pool IN (SELECT pool FROM wanted)
        UNION ALL
        SELECT pool, block_number, log_index, sqrt_price_x96
        FROM fact_swap
        WHERE chain_id = {chain_id:UInt32} AND block_number < {before:UInt64} AND pool IN (SELECT pool FROM wanted)
    )
    GROUP BY pool
) AS last ON last.pool = known.pool
