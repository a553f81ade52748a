-- For each block: new holders less former holders, minted less burned, and the wallets that gained with their balances
-- after and before. At most a hundred wallets are listed: no more can hold a hundredth of the supply each.
WITH
work_move AS (SELECT * EXCEPT chain_id FROM work_move WHERE chain_id = {chain_id:UInt32}),
balances AS
(
    SELECT token, wallet, sum(delta_raw) AS balance_raw
    FROM agg_balance_day
    PREWHERE cityHash64(token, wallet) IN (SELECT cityHash64(token, wallet) FROM work_move)
    WHERE chain_id = {chain_id:UInt32} AND (token, wallet) IN (SELECT token, wallet FROM work_move)
    GROUP BY token, wallet
)
SELECT
    lower(hex(token)) AS token_hex,
    block,
    max(seconds) AS block_time,
    sum(toInt64(is_holder AND after_raw > 0) - toInt64(is_holder AND before_raw > 0)) AS entering,
    sum(if(is_zero, -delta_raw, toInt256(0))) AS minted_raw,
    arraySlice(
        arrayReverseSort(groupArrayIf((after_raw, before_raw, lower(hex(wallet))), is_holder AND delta_raw > 0)),
        1, 100
    ) AS gained,
    arrayMap(entry -> entry.3, gained) AS wallets,
    arrayMap(entry -> entry.1, gained) AS after_raws,
    arrayMap(entry -> entry.2, gained) AS before_raws
FROM
(
    SELECT
        token,
        wallet,
        last_block AS block,
        toUInt32(last_time) AS seconds,
        move.delta_raw AS delta_raw,
        wallet = unhex({zero:String}) OR wallet = '' AS is_zero,
        NOT is_zero AND (wallet != token OR length(token) = 20) AS is_holder,
        balance_raw - sum(delta_raw) OVER (PARTITION BY token, wallet) + sum(delta_raw) OVER (
            PARTITION BY token, wallet ORDER BY last_block ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
        ) AS after_raw,
        after_raw - delta_raw AS before_raw
    FROM work_move AS move
    LEFT JOIN balances ON balances.token = move.token AND balances.wallet = move.wallet
)
GROUP BY token, block
ORDER BY token, block
