-- Buys of some tokens in blocks from {first} to {through}, in their order: what a swap took out of a pool. The amount of
-- the quote asset comes with what a whole unit of it was worth in the two hours before; null where none is believed.
WITH
    (SELECT groupArray(unhex(hex)) FROM (SELECT arrayJoin({tokens:Array(String)}) AS hex)) AS wanted,
    (
        SELECT min(block_time) - INTERVAL 2 HOUR FROM raw_block
        WHERE chain_id = {chain_id:UInt32} AND block_number >= {first:UInt64} AND block_number <= {through:UInt64}
    ) AS since
SELECT
    swap.block_number AS block_number,
    swap.log_index AS log_index,
    toUnixTimestamp(swap.block_time) AS at,
    lower(hex(swap.transaction_hash)) AS transaction_hex,
    lower(hex(if(swap.amount0_raw > 0, pool.token1, pool.token0))) AS token_hex,
    toString(abs(if(swap.amount0_raw > 0, swap.amount1_raw, swap.amount0_raw))) AS amount_raw,
    lower(hex(swap.recipient)) AS buyer_hex,
    toString(abs(if(pool.quote_side = 0, swap.amount0_raw, swap.amount1_raw))) AS quote_raw,
    pool.quote_decimals AS quote_decimals,
    if(pool.quote_side >= 0 AND price.minute >= swap.block_time - INTERVAL 2 HOUR, toString(price.usd), NULL) AS quote_usd
FROM
(
    SELECT * FROM fact_swap
    WHERE chain_id = {chain_id:UInt32}
        AND block_number >= {first:UInt64} AND block_number <= {through:UInt64}
        AND pool IN
        (
            SELECT pool FROM fact_pool
            WHERE chain_id = {chain_id:UInt32} AND (has(wanted, token0) OR has(wanted, token1))
        )
) AS swap
INNER JOIN
(
    SELECT pool, token0, token1, quote, quote_side, quote_decimals FROM pool_quote
    WHERE chain_id = {chain_id:UInt32} AND (has(wanted, token0) OR has(wanted, token1))
) AS pool ON pool.pool = swap.pool
LEFT ASOF JOIN
(
    SELECT quote, minute, usd FROM published_agg_quote_minute
    WHERE chain_id = {chain_id:UInt32} AND minute >= since
) AS price ON price.quote = pool.quote AND swap.block_time >= price.minute
WHERE has(wanted, if(swap.amount0_raw > 0, pool.token1, pool.token0))
ORDER BY block_number, log_index
LIMIT {limit:UInt32}
SETTINGS join_use_nulls = 1
