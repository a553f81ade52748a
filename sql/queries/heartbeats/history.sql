-- A token's scores from {from} to before {to}, newest first: one an hour, or the last of each {step} seconds.
SELECT
    toUnixTimestamp(max(hour)) AS at,
    argMax(score, hour) AS score,
    argMax(timestamp_score, hour) AS timestamp_score,
    argMax(volume_score, hour) AS volume_score,
    argMax(holders_score, hour) AS holders_score,
    argMax(confidence_score, hour) AS confidence_score,
    argMax(weights_version, hour) AS weights_version,
    argMax(as_of_block, hour) AS as_of_block
FROM
(
    SELECT *
    FROM agg_heartbeat
    WHERE chain_id = {chain_id:UInt32} AND token = unhex({token:String})
        AND agg_heartbeat.hour >= toDateTime({from:UInt32}, 'UTC')
        AND agg_heartbeat.hour < toDateTime({to:UInt32}, 'UTC')
    ORDER BY hour, computed_at DESC
    LIMIT 1 BY hour
)
GROUP BY intDiv(toUnixTimestamp(hour), {step:UInt32}) AS step
ORDER BY step DESC
LIMIT {limit:UInt32}
