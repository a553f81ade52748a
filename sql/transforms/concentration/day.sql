-- Balances at the end of a day of the tokens that were transferred on it.
INSERT INTO agg_top_day
SELECT {chain_id:UInt32}, token, toDate({day:UInt16}), sumIf(balance, place <= 10), sum(balance), 0, {version:UInt64}
FROM
(
    SELECT token, balance, row_number() OVER (PARTITION BY token ORDER BY balance DESC) AS place
    FROM
    (
        SELECT token, wallet, sum(delta_raw) AS balance
        FROM agg_balance_day
        WHERE chain_id = {chain_id:UInt32} AND day <= toDate({day:UInt16}) AND token != '' AND token IN
        (
            SELECT token FROM agg_balance_day
            WHERE chain_id = {chain_id:UInt32} AND day = toDate({day:UInt16})
        )
        GROUP BY token, wallet
        HAVING balance > 0
    )
)
GROUP BY token
SETTINGS max_bytes_before_external_group_by = 1000000000
