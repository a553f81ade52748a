-- A token's candles from {from} to before {to}, newest first, each of {step} seconds, made of stored ones of {seconds}.
SELECT
    intDiv(toUnixTimestamp(candle.start), {step:UInt32}) * {step:UInt32} AS at,
    argMin(candle.open, candle.start) AS open,
    max(candle.high) AS high,
    min(candle.low) AS low,
    argMax(candle.close, candle.start) AS close,
    sum(candle.volume_usd) AS volume_usd,
    argMax(candle.liquidity_usd, candle.start) AS liquidity_usd,
    sum(candle.trades) AS trades,
    (
        SELECT decimals FROM agg_token FINAL
        WHERE chain_id = {chain_id:UInt32} AND token = unhex({token:String}) AND deleted = 0
    ) AS decimals
FROM agg_token_candle AS candle FINAL
WHERE chain_id = {chain_id:UInt32} AND token = unhex({token:String}) AND seconds = {seconds:UInt32} AND deleted = 0
    AND candle.start >= toDateTime({from:UInt32}, 'UTC') AND candle.start < toDateTime({to:UInt32}, 'UTC')
GROUP BY at
ORDER BY at DESC
LIMIT {limit:UInt32}
