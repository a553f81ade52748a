SELECT
    chain_of(candles.chain_id) AS chain,
    candles.chain_id AS chain_id,
    caip2_of(candles.chain_id) AS caip2,
    text_of(candles.chain_id, candles.token) AS token,
    names.symbol AS symbol,
    names.name AS name,
    candles.start AS hour,
    price_of(candles.open, names.decimals) AS price_open_usd,
    price_of(candles.high, names.decimals) AS price_high_usd,
    price_of(candles.low, names.decimals) AS price_low_usd,
    price_of(candles.close, names.decimals) AS price_close_usd,
    toFloat64(candles.volume_usd) AS volume_usd,
    toFloat64(candles.liquidity_usd) AS liquidity_usd,
    candles.trades AS trades,
    block_of(candles.chain_id) AS as_of_block
FROM published_agg_token_candle AS candles
LEFT ANY JOIN token_name AS names ON names.chain_id = candles.chain_id AND names.token = candles.token
WHERE candles.seconds = 3600
