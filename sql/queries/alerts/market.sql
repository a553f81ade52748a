-- Price, liquidity and volume of tokens: what stood at {from}, the beginning of a day, and each five minutes that ended
-- since, up to {until}. The tokens are those in work_key, or the one in {token}. A token without trades has a volume of 0.
WITH watched AS
(
    SELECT key FROM work_key WHERE chain_id = {chain_id:UInt32} AND {token:String} = ''
    UNION ALL
    SELECT unhex({token:String}) AS key WHERE {token:String} != ''
)
SELECT
    lower(hex(candle.token)) AS token_hex,
    candle.at AS at,
    candle.close_usd * pow(10, identity.decimals) AS price_change,
    candle.liquidity AS liquidity_drop,
    candle.volume AS volume_anomaly
FROM
(
    SELECT key AS token, toInt64({from:UInt32}) AS at, standing.close_usd AS close_usd, standing.liquidity AS liquidity,
        toFloat64(0) AS volume
    FROM watched
    LEFT JOIN
    (
        SELECT
            token,
            toNullable(toFloat64(argMaxIf(close, start, close IS NOT NULL))) AS close_usd,
            toNullable(toFloat64(argMax(liquidity_usd, start))) AS liquidity
        FROM agg_token_candle FINAL
        WHERE chain_id = {chain_id:UInt32} AND token IN (SELECT key FROM watched) AND seconds = 86400 AND deleted = 0
            AND start < toDateTime({from:UInt32}, 'UTC')
        GROUP BY token
    ) AS standing ON standing.token = watched.key
    UNION ALL
    SELECT token, toInt64(toUnixTimestamp(start)) + 300, toFloat64(close), toFloat64(liquidity_usd),
        toFloat64(ifNull(volume_usd, 0))
    FROM agg_token_candle FINAL
    WHERE chain_id = {chain_id:UInt32} AND token IN (SELECT key FROM watched) AND seconds = 300 AND deleted = 0
        AND start >= toDateTime({from:UInt32}, 'UTC') AND start <= toDateTime({until:UInt32} - 300, 'UTC')
) AS candle
LEFT JOIN
(
    SELECT token, decimals FROM agg_token FINAL
    WHERE chain_id = {chain_id:UInt32} AND token IN (SELECT key FROM watched) AND deleted = 0
) AS identity ON identity.token = candle.token
ORDER BY at
SETTINGS join_use_nulls = 1
