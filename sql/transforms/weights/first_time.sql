-- When the chain's indexed history begins. Genesis does not count: some chains date it years before their first block.
SELECT toUInt32(min(block_time)) AS first_time, count() AS blocks
FROM
(
    SELECT block_time
    FROM raw_block
    WHERE chain_id = {chain_id:UInt32} AND block_number > 0 AND block_number <= {through:UInt64}
    ORDER BY block_number
    LIMIT 1
)
