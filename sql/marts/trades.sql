-- A quote's price that is older than two hours is none: every hour has a row.
SELECT
    chain_of(swaps.chain_id) AS chain,
    swaps.chain_id AS chain_id,
    caip2_of(swaps.chain_id) AS caip2,
    swaps.block_number AS block_number,
    swaps.log_index AS log_index,
    swaps.block_time AS block_time,
    text_of(swaps.chain_id, swaps.transaction_hash) AS transaction_hash,
    pools.exchange AS exchange,
    pools.protocol AS protocol,
    text_of(swaps.chain_id, swaps.pool) AS pool,
    if(swaps.amount0_raw > 0, pools.token0_text, pools.token1_text) AS token_sold,
    if(swaps.amount0_raw > 0, pools.symbol0, pools.symbol1) AS symbol_sold,
    if(
        swaps.amount0_raw > 0,
        units_of(swaps.amount0_raw, pools.decimals0),
        units_of(swaps.amount1_raw, pools.decimals1)
    ) AS amount_sold,
    toString(if(swaps.amount0_raw > 0, swaps.amount0_raw, swaps.amount1_raw)) AS amount_sold_raw,
    if(swaps.amount0_raw > 0, pools.token1_text, pools.token0_text) AS token_bought,
    if(swaps.amount0_raw > 0, pools.symbol1, pools.symbol0) AS symbol_bought,
    if(
        swaps.amount0_raw > 0,
        units_of(-swaps.amount1_raw, pools.decimals1),
        units_of(-swaps.amount0_raw, pools.decimals0)
    ) AS amount_bought,
    toString(if(swaps.amount0_raw > 0, -swaps.amount1_raw, -swaps.amount0_raw)) AS amount_bought_raw,
    if(
        pools.quote_side >= 0 AND prices.minute >= swaps.block_time - INTERVAL 2 HOUR,
        units_of(
            toUInt256(abs(if(pools.quote_side = 0, swaps.amount0_raw, swaps.amount1_raw))), pools.quote_decimals
        ) * toFloat64(prices.usd),
        NULL
    ) AS amount_usd,
    text_of(swaps.chain_id, swaps.sender) AS sender,
    text_of(swaps.chain_id, swaps.recipient) AS recipient,
    block_of(swaps.chain_id) AS as_of_block
FROM published_fact_swap AS swaps
LEFT ANY JOIN
(
    SELECT
        pools.chain_id AS chain_id, pools.pool AS pool, exchange, protocol, quote, quote_side, quote_decimals,
        text_of(pools.chain_id, pools.token0) AS token0_text, text_of(pools.chain_id, pools.token1) AS token1_text,
        names0.symbol AS symbol0, names1.symbol AS symbol1,
        names0.decimals AS decimals0, names1.decimals AS decimals1
    FROM pool_quote AS pools
    LEFT ANY JOIN token_name AS names0 ON names0.chain_id = pools.chain_id AND names0.token = pools.token0
    LEFT ANY JOIN token_name AS names1 ON names1.chain_id = pools.chain_id AND names1.token = pools.token1
) AS pools ON pools.chain_id = swaps.chain_id AND pools.pool = swaps.pool
LEFT ASOF JOIN published_agg_quote_minute AS prices
    ON prices.chain_id = swaps.chain_id AND prices.quote = pools.quote AND swaps.block_time >= prices.minute
