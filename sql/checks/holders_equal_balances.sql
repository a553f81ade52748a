-- Tokens whose holder count is not the number of wallets with a positive balance. Left out are tokens that changed after
-- they were counted, and, of those that are looked at because they changed, the ones with more than {most_holders}
-- holders.
WITH chosen AS
(
    SELECT token, holders_net AS holders
    FROM agg_token_hour FINAL
    WHERE chain_id = {chain_id:UInt32} AND hour = toDateTime(0, 'UTC')
      AND token >= unhex({from_token:String})
      AND ({to_token:String} = '' OR token < unhex({to_token:String}))
      AND ({up_to:UInt64} = 0 OR (holders_net <= {most_holders:Int64} AND token IN (
          SELECT key FROM fact_change
          WHERE chain_id = {chain_id:UInt32} AND change_id > {after:UInt64} AND change_id <= {up_to:UInt64}
      )))
      AND token NOT IN (
          SELECT key FROM fact_change WHERE chain_id = {chain_id:UInt32} AND change_id > {counted_up_to:UInt64}
      )
)
SELECT {chain_id:UInt32} AS chain_id, lower(hex(counted.token)) AS token_hex, counted.holders AS counted,
    held.holders AS held
FROM chosen AS counted
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
) AS held ON held.token = counted.token
WHERE counted.holders != held.holders
LIMIT 100
