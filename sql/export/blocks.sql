WITH (raw -> multiIf(raw = '', '', {chain_id:UInt32} = 900900, base58Encode(raw), concat('0x', lower(hex(raw))))) AS text_of
SELECT
    block_number,
    text_of(block_hash) AS block_hash,
    text_of(parent_hash) AS parent_hash,
    block_time,
    transaction_count
FROM published_raw_block
WHERE chain_id = {chain_id:UInt32} AND block_number <= {last_block:UInt64}
