-- Tokens whose entering and leaving holders do not add up to their holder count.
SELECT {chain_id:UInt32} AS chain_id, lower(hex(by_day.token)) AS token_hex, by_day.holders AS by_day,
    by_hour.holders AS by_hour
FROM
(
    SELECT token, sum(entering) - sum(leaving) AS holders
    FROM agg_holder_day FINAL
    WHERE chain_id = {chain_id:UInt32} AND in_part(token)
    GROUP BY token
) AS by_day
INNER JOIN
(
    SELECT token, holders_net AS holders
    FROM agg_token_hour FINAL
    WHERE chain_id = {chain_id:UInt32} AND hour = toDateTime(0, 'UTC') AND in_range(token)
) AS by_hour ON by_hour.token = by_day.token
WHERE by_day.holders != by_hour.holders
LIMIT 100
