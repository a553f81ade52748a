-- Balances of randomly chosen wallets.
SELECT lower(hex(token)) AS token_hex, lower(hex(wallet)) AS wallet_hex, sum(delta_raw) AS balance_raw
FROM agg_balance_day
WHERE chain_id = {chain_id:UInt32} AND (token, wallet) IN
(
    SELECT token, wallet FROM agg_balance_day WHERE chain_id = {chain_id:UInt32} AND token != ''
    ORDER BY rand() LIMIT {sample:UInt32}
)
GROUP BY token, wallet
