-- Tokens whose holder count is not the number of wallets with a positive balance. Left out are tokens that changed after
-- they were counted, and, of those that are looked at because they changed, the ones with more than {most_holders}
-- holders.
SELECT {chain_id:UInt32} AS chain_id, lower(hex(token)) AS token_hex, counted, held
FROM
(
    WITH chosen AS
    (
        SELECT token, holders_net AS holders
        FROM agg_token_hour FINAL
        WHERE chain_id = {chain_id:UInt32} AND hour = toDateTime(0, 'UTC') AND in_part(token)
          AND ({up_to:UInt64} = 0 OR holders_net <= {most_holders:Int64})
          AND token NOT IN (
              SELECT key FROM fact_change WHERE chain_id = {chain_id:UInt32} AND change_id > {counted_up_to:UInt64}
          )
    )
    SELECT counts.token AS token, counts.holders AS counted, sums.holders AS held
    FROM chosen AS counts
    INNER JOIN
    (
        SELECT token, countIf(balance_raw > 0 AND (wallet != token OR length(token) = 20)) AS holders
        FROM
        (
            SELECT token, wallet, sum(delta_raw) AS balance_raw
            FROM agg_balance_day
            WHERE chain_id = {chain_id:UInt32} AND token IN (SELECT token FROM chosen)
            GROUP BY token, wallet
        )
        GROUP BY token
    ) AS sums ON sums.token = counts.token
)
WHERE counted != held
LIMIT 100
