-- Tokens whose balances do not add up to minted less burned, over the days from {from_day} on whose transfers are kept.
SELECT {chain_id:UInt32} AS chain_id, lower(hex(token)) AS token_hex, balances_raw, minted_raw
FROM
(
    SELECT token, sum(balance_raw) AS balances_raw, sum(supply_raw) AS minted_raw
    FROM
    (
        SELECT token, sum(delta_raw) AS balance_raw, toInt256(0) AS supply_raw
        FROM agg_balance_day
        WHERE chain_id = {chain_id:UInt32} AND token != '' AND day >= {from_day:Date} AND in_part(token)
          AND day >= toDate((SELECT max(kept_from) FROM dropped_month WHERE chain_id = {chain_id:UInt32}))
        GROUP BY token
        UNION ALL
        SELECT
            token,
            toInt256(0),
            sum(if(from_address = repeat('\0', 20), toInt256(amount_raw), toInt256(0))
                - if(to_address = repeat('\0', 20), toInt256(amount_raw), toInt256(0)))
        FROM fact_transfer
        WHERE chain_id = {chain_id:UInt32} AND block_time >= toDateTime({from_day:Date}, 'UTC')
          AND in_part(token)
          AND block_time >= (SELECT max(kept_from) FROM dropped_month WHERE chain_id = {chain_id:UInt32})
        GROUP BY token
    )
    GROUP BY token
)
WHERE balances_raw != minted_raw
LIMIT 100
