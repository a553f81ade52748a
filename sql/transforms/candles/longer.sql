-- Candles of an hour or a day, of the shorter ones within.
INSERT INTO agg_token_candle
SELECT
    {chain_id:UInt32},
    token,
    {seconds:UInt32},
    toDateTime(intDiv(toUInt32(candle.start), {seconds:UInt32}) * {seconds:UInt32}, 'UTC') AS began,
    argMin(candle.open, candle.start),
    max(candle.high),
    min(candle.low),
    argMax(candle.close, candle.start),
    sum(candle.volume_usd),
    argMax(candle.liquidity_usd, candle.start),
    sum(candle.trades),
    0,
    {version:UInt64}
FROM agg_token_candle AS candle FINAL
WHERE chain_id = {chain_id:UInt32} AND candle.seconds = {of_seconds:UInt32} AND deleted = 0
  AND candle.start >= {from:DateTime('UTC')} AND candle.start < {until:DateTime('UTC')}
GROUP BY token, began
