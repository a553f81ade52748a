-- The times of some blocks.
SELECT block_number AS block, toUInt32(block_time) AS seconds
FROM raw_block
WHERE chain_id = {chain_id:UInt32} AND block_number IN {blocks:Array(UInt64)}
