-- Tokens whose balances do not add up to minted less burned.
SELECT chain_id, lower(hex(token)) AS token_hex, balances_raw, minted_raw
FROM
(
    SELECT chain_id, token, sum(balance_raw) AS balances_raw, sum(supply_raw) AS minted_raw
    FROM
    (
        SELECT chain_id, token, sum(delta_raw) AS balance_raw, toInt256(0) AS supply_raw
        FROM agg_balance_day
        WHERE token != ''
        GROUP BY chain_id, token
        UNION ALL
        SELECT
            chain_id,
            token,
            toInt256(0),
            sum(if(from_address = repeat('\0', 20), toInt256(amount_raw), toInt256(0))
                - if(to_address = repeat('\0', 20), toInt256(amount_raw), toInt256(0)))
        FROM fact_transfer
        GROUP BY chain_id, token
    )
    GROUP BY chain_id, token
)
WHERE balances_raw != minted_raw
LIMIT 100
