-- Balances of randomly chosen wallets, of tokens from a random place of the table on; tokens before it follow, so that
-- there is something to compare in small tables.
SELECT lower(hex(token)) AS token_hex, lower(hex(wallet)) AS wallet_hex, sum(delta_raw) AS balance_raw
FROM agg_balance_day
WHERE chain_id = {chain_id:UInt32} AND (token, wallet) IN
(
    SELECT token, wallet
    FROM
    (
        SELECT token, wallet FROM agg_balance_day
        WHERE chain_id = {chain_id:UInt32} AND token >= unhex({place:String}) AND token != ''
        ORDER BY token, wallet LIMIT {looked_at:UInt32}
        UNION ALL
        SELECT token, wallet FROM agg_balance_day
        WHERE chain_id = {chain_id:UInt32} AND token < unhex({place:String}) AND token != ''
        ORDER BY token, wallet LIMIT {looked_at:UInt32}
    )
    ORDER BY rand() LIMIT {sample:UInt32}
)
GROUP BY token, wallet
