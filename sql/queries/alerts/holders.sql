-- The number of holders of tokens: at {from}, the beginning of a day, and at the end of each hour with changes since, up
-- to {until}. The tokens are those in work_key, or the one in {token}. The row of hour 0 holds the total.
WITH watched AS
(
    SELECT key FROM work_key WHERE chain_id = {chain_id:UInt32} AND {token:String} = ''
    UNION ALL
    SELECT unhex({token:String}) AS key WHERE {token:String} != ''
)
SELECT lower(hex(token)) AS token_hex, at, toFloat64(sum(change) OVER (PARTITION BY token ORDER BY at)) AS holder_count_drop
FROM
(
    SELECT
        token,
        toInt64({from:UInt32}) AS at,
        sumIf(holders_net, hour = toDateTime(0, 'UTC')) - sumIf(holders_net, hour > toDateTime(0, 'UTC')) AS change
    FROM agg_token_hour FINAL
    WHERE chain_id = {chain_id:UInt32} AND token IN (SELECT key FROM watched)
        AND (hour = toDateTime(0, 'UTC') OR hour >= toDateTime({from:UInt32}, 'UTC'))
    GROUP BY token
    UNION ALL
    SELECT token, toInt64(toUnixTimestamp(hour)) + 3600, holders_net
    FROM agg_token_hour FINAL
    WHERE chain_id = {chain_id:UInt32} AND token IN (SELECT key FROM watched)
        AND hour >= toDateTime({from:UInt32}, 'UTC') AND hour <= toDateTime({until:UInt32} - 3600, 'UTC')
)
ORDER BY at
