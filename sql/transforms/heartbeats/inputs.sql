-- Activity and holders of tokens as of a moment: of those in work_key, or of all in one part.
SELECT
    lower(hex(identity.token)) AS token,
    identity.symbol AS symbol,
    identity.read_status AS read_status,
    activity.transfers_24h AS transfers_24h,
    activity.holders AS holders,
    toUInt32(activity.last_time) AS last_time,
    previous.inputs AS previous_inputs,
    previous.weights_version AS previous_version,
    toUInt32(previous.hour) AS previous_hour
FROM
(
    SELECT token, symbol, read_status
    FROM agg_token FINAL
    WHERE chain_id = {chain_id:UInt32} AND deleted = 0 AND first_time <= {as_of:DateTime('UTC')}
      AND (({all_tokens:UInt8} = 1 AND cityHash64(token) % {parts:UInt32} = {part:UInt32})
           OR ({all_tokens:UInt8} = 0 AND token IN (SELECT key FROM work_key)))
) AS identity
LEFT JOIN
(
    SELECT
        token,
        sumIf(transfers, hour >= {as_of:DateTime('UTC')} - 86400) AS transfers_24h,
        sum(holders_net) AS holders,
        max(last_time) AS last_time
    FROM agg_token_hour FINAL
    WHERE chain_id = {chain_id:UInt32} AND hour > toDateTime(0, 'UTC') AND hour < {as_of:DateTime('UTC')}
      AND (({all_tokens:UInt8} = 1 AND cityHash64(token) % {parts:UInt32} = {part:UInt32})
           OR ({all_tokens:UInt8} = 0 AND token IN (SELECT key FROM work_key)))
    GROUP BY token
) AS activity ON activity.token = identity.token
LEFT JOIN
(
    SELECT token, hour, inputs, weights_version
    FROM agg_heartbeat FINAL
    WHERE chain_id = {chain_id:UInt32} AND hour <= {hour:DateTime('UTC')}
      AND (({all_tokens:UInt8} = 1 AND cityHash64(token) % {parts:UInt32} = {part:UInt32})
           OR ({all_tokens:UInt8} = 0 AND token IN (SELECT key FROM work_key)))
    ORDER BY hour DESC
    LIMIT 1 BY token
) AS previous ON previous.token = identity.token
