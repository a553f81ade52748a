-- Hours and totals (the row of hour 0) of the touched tokens: the stored values plus the new transfers. For tokens that
-- are recomputed in full, stored values are replaced by zero, except those of hours whose transfers were dropped: these
-- stay, and the totals begin with them.
INSERT INTO agg_token_hour
WITH
work_move AS (SELECT * EXCEPT chain_id FROM work_move WHERE chain_id = {chain_id:UInt32}),
work_token AS (SELECT * EXCEPT chain_id FROM work_token WHERE chain_id = {chain_id:UInt32}),
work_wallet AS (SELECT * EXCEPT chain_id FROM work_wallet WHERE chain_id = {chain_id:UInt32})
SELECT
    {chain_id:UInt32},
    token,
    hour,
    sum(transfers),
    sum(holders_net),
    sum(supply_net_raw),
    max(last_time),
    max(last_supply_block),
    {through:UInt64},
    {version:UInt64}
FROM
(
    SELECT
        token,
        arrayJoin([move_hour, toDateTime(0, 'UTC')]) AS hour,
        sent AS transfers,
        toInt64(held_after) - toInt64(held_before) AS holders_net,
        if(is_zero, -delta_raw, toInt256(0)) AS supply_net_raw,
        last_time,
        if(is_zero, last_block, 0) AS last_supply_block
    FROM
    (
        -- A wallet's earlier balance is its first move, at hour 0, so running sums are its balances.
        SELECT
            token,
            hour AS move_hour,
            delta_raw,
            sent,
            last_time,
            last_block,
            wallet = unhex({zero:String}) OR wallet = '' AS is_zero,
            sum(delta_raw) OVER (
                PARTITION BY token, wallet ORDER BY hour ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
            ) AS after_raw,
            -- On Solana a mint's own address stands for what is withheld or hidden. It is no holder.
            NOT is_zero AND (wallet != token OR length(token) = 20) AS is_holder,
            is_holder AND after_raw > 0 AS held_after,
            is_holder AND after_raw - delta_raw > 0 AS held_before
        FROM
        (
            SELECT token, wallet, hour, delta_raw, sent, last_time, last_block FROM work_move
            UNION ALL
            SELECT token, wallet, toDateTime(0, 'UTC'), before_raw, toInt64(0), toDateTime(0, 'UTC'), toUInt64(0)
            FROM work_wallet
            WHERE before_raw != 0
        )
    )
    WHERE move_hour > toDateTime(0, 'UTC')
    UNION ALL
    SELECT
        token,
        arrayJoin(if(starts_over AND is_final, [hour, toDateTime(0, 'UTC')], [hour])),
        if(is_replaced, 0, transfers),
        if(is_replaced, 0, holders_net),
        if(is_replaced, toInt256(0), supply_net_raw),
        if(is_replaced, toDateTime(0, 'UTC'), last_time),
        if(is_replaced, 0, last_supply_block)
    FROM
    (
        SELECT
            *,
            token IN (SELECT token FROM work_token WHERE after_block < 0) AS starts_over,
            hour > toDateTime(0, 'UTC')
                AND hour < (SELECT max(kept_from) FROM dropped_month WHERE chain_id = {chain_id:UInt32}) AS is_final,
            starts_over AND NOT is_final AS is_replaced
        FROM agg_token_hour FINAL
        WHERE chain_id = {chain_id:UInt32} AND token IN (SELECT token FROM work_token)
          AND (
              hour = toDateTime(0, 'UTC')
              OR token IN (SELECT token FROM work_token WHERE after_block < 0)
              OR (token, hour) IN (SELECT token, hour FROM work_move)
          )
    )
)
GROUP BY token, hour
