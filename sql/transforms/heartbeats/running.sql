-- Inputs of the current hour's heartbeats for the tokens in work_key: the last day from its hours; everything before it
-- from the totals, which include the published block; volumes as served; the last stored score.
WITH work_key AS (SELECT * EXCEPT chain_id FROM work_key WHERE chain_id = {chain_id:UInt32})
SELECT
    lower(hex(identity.token)) AS token,
    identity.symbol AS symbol,
    identity.read_status AS read_status,
    toUInt32(identity.first_time) AS first_time,
    activity.sent AS sent,
    activity.held AS held,
    activity.latest AS latest,
    toDecimalString(price.volume_24h_usd, 6) AS volume_24h_usd,
    toDecimalString(price.liquidity_usd, 6) AS liquidity_usd,
    standing.scores AS standing
FROM
(
    SELECT token, symbol, read_status, first_time
    FROM agg_token FINAL
    PREWHERE chain_id = {chain_id:UInt32} AND token IN (SELECT key FROM work_key)
    WHERE deleted = 0 AND first_time <= {moment:DateTime('UTC')}
) AS identity
LEFT JOIN
(
    SELECT
        token,
        sumIf(transfers, hour > toDateTime(0, 'UTC')) AS sent,
        sumIf(holders_net, hour = toDateTime(0, 'UTC')) AS held,
        toUInt32(max(last_time)) AS latest
    FROM agg_token_hour FINAL
    PREWHERE chain_id = {chain_id:UInt32} AND token IN (SELECT key FROM work_key)
         AND (hour = toDateTime(0, 'UTC')
              OR (hour >= {moment:DateTime('UTC')} - 86400 AND hour < {moment:DateTime('UTC')}))
    GROUP BY token
) AS activity ON activity.token = identity.token
LEFT JOIN
(
    SELECT token, volume_24h_usd, liquidity_usd
    FROM agg_token_price FINAL
    PREWHERE chain_id = {chain_id:UInt32} AND token IN (SELECT key FROM work_key)
) AS price ON price.token = identity.token
LEFT JOIN
(
    -- Only closed hours need the moment that a score refers to. It is part of the inputs, which are long.
    SELECT
        token,
        [argMax((
            toUInt32(hour), 0, score, timestamp_score, volume_score, holders_score, confidence_score, weights_version
        ), hour)] AS scores
    FROM agg_heartbeat FINAL
    PREWHERE chain_id = {chain_id:UInt32} AND token IN (SELECT key FROM work_key)
         AND hour <= {hour:DateTime('UTC')}
    GROUP BY token
) AS standing ON standing.token = identity.token
SETTINGS max_threads = 1
