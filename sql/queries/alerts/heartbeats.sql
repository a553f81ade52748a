-- Heartbeat scores of tokens at the ends of hours from {from} to {until}. The tokens are those in work_key, or the one in
-- {token}. An hour counts once it is over, and if nine tenths of the day before its end were observed: a gap in the data
-- is no fall of the score.
WITH watched AS
(
    SELECT key FROM work_key WHERE chain_id = {chain_id:UInt32} AND {token:String} = ''
    UNION ALL
    SELECT unhex({token:String}) AS key WHERE {token:String} != ''
)
SELECT lower(hex(token)) AS token_hex, toInt64(toUnixTimestamp(hour)) + 3600 AS at, toFloat64(score) AS heartbeat_score
FROM agg_heartbeat FINAL
WHERE chain_id = {chain_id:UInt32} AND token IN (SELECT key FROM watched)
    AND hour >= toDateTime({from:UInt32}, 'UTC') AND hour <= toDateTime({until:UInt32} - 3600, 'UTC')
    AND JSONExtractUInt(inputs, 'as_of') = toUnixTimestamp(hour) + 3600
    AND 10 * JSONExtractUInt(inputs, 'observed_seconds') >= 9 * JSONExtractUInt(inputs, 'window_seconds')
ORDER BY at
