-- Time of the newest block at or below a number.
SELECT toUInt32(max(block_time)) AS block_time
FROM raw_block
WHERE chain_id = {chain_id:UInt32} AND block_number <= {block:UInt64}
