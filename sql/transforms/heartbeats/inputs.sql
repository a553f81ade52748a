-- Inputs of the heartbeats of some hours, for the tokens of one part. Activity is given as sums per hour in order; one
-- sum under hour 1 covers everything more than a day before the first moment. Stored scores are the last one at or
-- before the first hour and those between it and the last hour.
SELECT
    lower(hex(identity.token)) AS token,
    identity.symbol AS symbol,
    identity.read_status AS read_status,
    toUInt32(identity.first_time) AS first_time,
    activity.hours AS activity,
    standing.scores AS standing
FROM
(
    SELECT token, symbol, read_status, first_time
    FROM agg_token FINAL
    WHERE chain_id = {chain_id:UInt32} AND deleted = 0 AND first_time <= {last_moment:DateTime('UTC')}
      AND cityHash64(token) % {parts:UInt32} = {part:UInt32}
) AS identity
LEFT JOIN
(
    SELECT token, arraySort(groupArray((slot, sent, held, latest))) AS hours
    FROM
    (
        SELECT
            token,
            if(hour < {first_moment:DateTime('UTC')} - 86400, 1, toUInt32(hour)) AS slot,
            sum(transfers) AS sent,
            sum(holders_net) AS held,
            toUInt32(max(last_time)) AS latest
        FROM agg_token_hour FINAL
        WHERE chain_id = {chain_id:UInt32} AND hour > toDateTime(0, 'UTC') AND hour < {last_moment:DateTime('UTC')}
          AND cityHash64(token) % {parts:UInt32} = {part:UInt32}
        GROUP BY token, slot
    )
    GROUP BY token
) AS activity ON activity.token = identity.token
LEFT JOIN
(
    SELECT
        token,
        arraySort(groupArray((
            toUInt32(hour), made.1, made.2, made.3, made.4, made.5, made.6, made.7
        ))) AS scores
    FROM
    (
        SELECT
            token,
            max(hour) AS hour,
            argMax((
                JSONExtractUInt(inputs, 'as_of'), score, timestamp_score, volume_score, holders_score, confidence_score,
                weights_version
            ), agg_heartbeat.hour) AS made
        FROM agg_heartbeat FINAL
        WHERE chain_id = {chain_id:UInt32} AND agg_heartbeat.hour <= {last_hour:DateTime('UTC')}
          AND cityHash64(token) % {parts:UInt32} = {part:UInt32}
        GROUP BY token, greatest(agg_heartbeat.hour, {first_hour:DateTime('UTC')})
    )
    GROUP BY token
) AS standing ON standing.token = identity.token
