WITH (raw -> multiIf(raw = '', '', {chain_id:UInt32} = 900900, base58Encode(raw), concat('0x', lower(hex(raw))))) AS text_of
SELECT
    text_of(published_fact_transfer.token) AS token,
    block_number,
    log_index,
    block_time,
    text_of(published_fact_transfer.transaction_hash) AS transaction_hash,
    text_of(published_fact_transfer.from_address) AS from_address,
    text_of(published_fact_transfer.to_address) AS to_address,
    toString(published_fact_transfer.amount_raw) AS amount_raw
FROM published_fact_transfer
WHERE chain_id = {chain_id:UInt32} AND block_number <= {last_block:UInt64}
