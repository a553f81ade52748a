-- A token's days with transfers or trades. Holders and supply are sums over the days before, so they are complete where
-- the token was indexed from its creation on. Market caps that almost nothing could be sold at are unknown.
SELECT
    chain_of(days.chain_id) AS chain,
    days.chain_id AS chain_id,
    caip2_of(days.chain_id) AS caip2,
    text_of(days.chain_id, days.token) AS token,
    names.symbol AS symbol,
    names.name AS name,
    days.day AS day,
    price_of(days.open, names.decimals) AS price_open_usd,
    price_of(days.high, names.decimals) AS price_high_usd,
    price_of(days.low, names.decimals) AS price_low_usd,
    price_of(days.close, names.decimals) AS price_close_usd,
    toFloat64(days.volume_usd) AS volume_usd,
    toFloat64(days.liquidity_usd) AS liquidity_usd,
    days.trades AS trades,
    if(
        days.supply_raw > 0 AND toFloat64(days.close) * toFloat64(days.supply_raw) <= 10000 * toFloat64(days.liquidity_usd),
        toFloat64(days.close) * toFloat64(days.supply_raw),
        NULL
    ) AS market_cap_usd,
    if(days.supply_raw >= 0, units_of(days.supply_raw, names.decimals), NULL) AS supply,
    toString(days.supply_raw) AS supply_raw,
    greatest(days.holders, 0) AS holders,
    shares.share AS top10_share,
    days.transfers AS transfers,
    days.entering AS new_holders,
    days.leaving AS leaving_holders,
    block_of(days.chain_id) AS as_of_block
FROM
(
    SELECT
        chain_id, token, day, open, high, low, close, volume_usd, liquidity_usd, trades, transfers, entering, leaving,
        sum(holders_net) OVER (PARTITION BY chain_id, token ORDER BY day) AS holders,
        sum(supply_net_raw) OVER (PARTITION BY chain_id, token ORDER BY day) AS supply_raw
    FROM
    (
        SELECT
            chain_id, token, day,
            anyLast(open) AS open, anyLast(high) AS high, anyLast(low) AS low, anyLast(close) AS close,
            anyLast(volume_usd) AS volume_usd, anyLast(liquidity_usd) AS liquidity_usd, sum(trades) AS trades,
            sum(transfers) AS transfers, sum(entering) AS entering, sum(leaving) AS leaving,
            sum(holders_net) AS holders_net, sum(supply_net_raw) AS supply_net_raw
        FROM
        (
            SELECT chain_id, token, toDate(start) AS day, open, high, low, close, volume_usd, liquidity_usd, trades,
                   toInt64(0) AS transfers, toInt64(0) AS entering, toInt64(0) AS leaving, toInt64(0) AS holders_net,
                   toInt256(0) AS supply_net_raw
            FROM published_agg_token_candle
            WHERE seconds = 86400
            UNION ALL
            SELECT chain_id, token, toDate(hour) AS day, NULL, NULL, NULL, NULL, NULL, NULL, 0, transfers, 0, 0,
                   holders_net, supply_net_raw
            FROM published_agg_token_hour
            WHERE transfers != 0
            UNION ALL
            SELECT chain_id, token, day, NULL, NULL, NULL, NULL, NULL, NULL, 0, 0, entering, leaving, 0, toInt256(0)
            FROM published_agg_holder_day
            WHERE entering != 0 OR leaving != 0
        )
        GROUP BY chain_id, token, day
    )
) AS days
LEFT ANY JOIN token_name AS names ON names.chain_id = days.chain_id AND names.token = days.token
LEFT ANY JOIN
(
    -- The sums of a token that makes up its transfers may be anything.
    SELECT chain_id, token, day,
           if(held_raw > 0 AND top10_raw BETWEEN 0 AND held_raw, toFloat64(top10_raw) / toFloat64(held_raw), NULL) AS share
    FROM published_agg_top_day
) AS shares ON shares.chain_id = days.chain_id AND shares.token = days.token AND shares.day = days.day
