-- Tokens whose entering and leaving holders do not add up to their holder count.
SELECT by_day.chain_id AS chain_id, lower(hex(by_day.token)) AS token_hex, by_day.holders AS by_day,
    by_hour.holders AS by_hour
FROM
(
    SELECT chain_id, token, sum(entering) - sum(leaving) AS holders
    FROM agg_holder_day FINAL GROUP BY chain_id, token
) AS by_day
INNER JOIN
(
    SELECT chain_id, token, holders_net AS holders FROM agg_token_hour FINAL WHERE hour = toDateTime(0, 'UTC')
) AS by_hour ON by_hour.chain_id = by_day.chain_id AND by_hour.token = by_day.token
WHERE by_day.holders != by_hour.holders
LIMIT 100
