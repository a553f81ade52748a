-- Balances as of the export's last block: those of the published units less what later transfers changed.
WITH (raw -> multiIf(raw = '', '', {chain_id:UInt32} = 900900, base58Encode(raw), concat('0x', lower(hex(raw))))) AS text_of
SELECT
    text_of(changes.token) AS token,
    text_of(changes.wallet) AS wallet,
    toString(sum(change_raw)) AS balance_raw,
    min(day) AS first_day,
    max(day) AS last_day
FROM
(
    SELECT token, wallet, day, sum(delta_raw) AS change_raw
    FROM
    (
        SELECT token, wallet, day, delta_raw
        FROM published_agg_balance_day
        WHERE chain_id = {chain_id:UInt32}
        UNION ALL
        SELECT token, side.1 AS wallet, toDate(block_time) AS day, -side.2 AS delta_raw
        FROM published_fact_transfer
        ARRAY JOIN [(to_address, toInt256(amount_raw)), (from_address, -toInt256(amount_raw))] AS side
        WHERE chain_id = {chain_id:UInt32} AND block_number > {last_block:UInt64} AND side.1 != repeat('\0', 20)
    )
    GROUP BY token, wallet, day
    HAVING change_raw != 0
) AS changes
GROUP BY changes.token, changes.wallet
HAVING sum(change_raw) > 0
SETTINGS max_bytes_before_external_group_by = 1000000000
