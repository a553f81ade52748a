-- Of the tokens asked for, those that scored too little in every scored hour since {since}, if enough hours are scored:
-- an hour without a score proves nothing.
SELECT
    lower(hex(token)) AS token,
    count() AS hours,
    toFloat64(max(score)) AS highest
FROM
(
    SELECT token, hour, argMax(score, computed_at) AS score
    FROM agg_heartbeat
    WHERE chain_id = {chain_id:UInt32} AND token IN (SELECT unhex(arrayJoin({tokens:Array(String)})))
        AND agg_heartbeat.hour >= toDateTime({since:UInt32}, 'UTC')
    GROUP BY token, hour
)
GROUP BY token
HAVING max(score) < {inactive_below:Decimal(5, 2)} AND count() >= {least_hours:UInt32}
