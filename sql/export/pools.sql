WITH (raw -> multiIf(raw = '', '', {chain_id:UInt32} = 900900, base58Encode(raw), concat('0x', lower(hex(raw))))) AS text_of
SELECT
    text_of(published_fact_pool.pool) AS pool,
    toString(protocol) AS protocol,
    toString(exchange) AS exchange,
    text_of(published_fact_pool.factory) AS factory,
    text_of(published_fact_pool.token0) AS token0,
    text_of(published_fact_pool.token1) AS token1,
    fee_ppm,
    tick_spacing,
    text_of(published_fact_pool.hooks) AS hooks,
    block_number,
    log_index,
    block_time,
    text_of(published_fact_pool.transaction_hash) AS transaction_hash
FROM published_fact_pool
WHERE chain_id = {chain_id:UInt32} AND block_number <= {last_block:UInt64}
