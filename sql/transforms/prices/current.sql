WITH work_key AS (SELECT * EXCEPT chain_id FROM work_key WHERE chain_id = {chain_id:UInt32})
SELECT
    lower(hex(token)) AS token_hex, price_usd, confidence, source, pools, liquidity_usd, volume_24h_usd,
    transactions_24h,
    price_change_1h, price_change_6h, price_change_24h, toUInt32(last_trade_time) AS last_trade_time, as_of_block
FROM agg_token_price FINAL
WHERE chain_id = {chain_id:UInt32} AND token IN (SELECT key FROM work_key)
