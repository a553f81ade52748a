WITH (raw -> multiIf(raw = '', '', {chain_id:UInt32} = 900900, base58Encode(raw), concat('0x', lower(hex(raw))))) AS text_of
SELECT
    text_of(published_fact_swap.pool) AS pool,
    block_number,
    log_index,
    block_time,
    text_of(published_fact_swap.transaction_hash) AS transaction_hash,
    text_of(published_fact_swap.sender) AS sender,
    text_of(published_fact_swap.recipient) AS recipient,
    toString(published_fact_swap.amount0_raw) AS amount0_raw,
    toString(published_fact_swap.amount1_raw) AS amount1_raw,
    toString(published_fact_swap.sqrt_price_x96) AS sqrt_price_x96,
    toString(published_fact_swap.liquidity) AS liquidity,
    tick
FROM published_fact_swap
WHERE chain_id = {chain_id:UInt32} AND block_number <= {last_block:UInt64}
