-- In the order of the key, so that the sums need no memory of their own.
WITH (raw -> multiIf(raw = '', '', {chain_id:UInt32} = 900900, base58Encode(raw), concat('0x', lower(hex(raw))))) AS text_of
SELECT
    text_of(agg_balance_day.token) AS token,
    text_of(agg_balance_day.wallet) AS wallet,
    toString(sum(delta_raw)) AS balance_raw,
    min(day) AS first_day,
    max(day) AS last_day
FROM agg_balance_day
WHERE chain_id = {chain_id:UInt32}
GROUP BY chain_id, agg_balance_day.token, agg_balance_day.wallet
HAVING sum(delta_raw) > 0
SETTINGS optimize_aggregation_in_order = 1
