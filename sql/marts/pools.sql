SELECT
    chain_of(pools.chain_id) AS chain,
    pools.chain_id AS chain_id,
    caip2_of(pools.chain_id) AS caip2,
    text_of(pools.chain_id, pools.pool) AS pool,
    pools.exchange AS exchange,
    pools.protocol AS protocol,
    text_of(pools.chain_id, pools.factory) AS factory,
    text_of(pools.chain_id, pools.token0) AS token0,
    names0.symbol AS symbol0,
    text_of(pools.chain_id, pools.token1) AS token1,
    names1.symbol AS symbol1,
    pools.fee_ppm AS fee_ppm,
    units_of(holding.amount0_raw, names0.decimals) AS amount0,
    toString(holding.amount0_raw) AS amount0_raw,
    units_of(holding.amount1_raw, names1.decimals) AS amount1,
    toString(holding.amount1_raw) AS amount1_raw,
    ifNotFinite(multiIf(  -- a pool without reserves has no price
        quotes.quote_side = 0,
        2 * least(toFloat64(holding.amount0_raw), toFloat64(holding.amount1_raw) / holding.price),
        quotes.quote_side = 1,
        2 * least(toFloat64(holding.amount1_raw), toFloat64(holding.amount0_raw) * holding.price),
        NULL
    ), 0) / exp10(quotes.quote_decimals) * toFloat64(prices.usd.1) AS liquidity_usd,
    quotes.quote_side >= 0 AS believed,
    pools.block_number AS created_block,
    pools.block_time AS created_time,
    text_of(pools.chain_id, pools.transaction_hash) AS transaction_hash,
    block_of(pools.chain_id) AS as_of_block
FROM published_fact_pool AS pools
LEFT ANY JOIN token_name AS names0 ON names0.chain_id = pools.chain_id AND names0.token = pools.token0
LEFT ANY JOIN token_name AS names1 ON names1.chain_id = pools.chain_id AND names1.token = pools.token1
LEFT ANY JOIN pool_quote AS quotes ON quotes.chain_id = pools.chain_id AND quotes.pool = pools.pool
LEFT ANY JOIN
(
    -- token1 for one token0, in base units, at the state of the amounts.
    SELECT
        chain_id, pool, amount0_raw, amount1_raw,
        if(
            state.sqrt_price_x96 > 0,
            pow(toFloat64(state.sqrt_price_x96) / pow(2, 96), 2),
            toFloat64(state.reserve1_raw) / toFloat64(state.reserve0_raw)
        ) AS price
    FROM published_agg_pool_liquidity
) AS holding ON holding.chain_id = pools.chain_id AND holding.pool = pools.pool
LEFT ANY JOIN
(
    SELECT chain_id, quote, argMax(usd, minute) AS usd
    FROM (SELECT chain_id, quote, minute, tuple(usd) AS usd FROM published_agg_quote_minute)
    GROUP BY chain_id, quote
) AS prices ON prices.chain_id = pools.chain_id AND prices.quote = quotes.quote
