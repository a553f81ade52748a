-- The highest indexed block at or below a number. The number itself may be a slot without a block.
SELECT block.block_number AS block_number, lower(hex(block.block_hash)) AS block_hash,
    toUnixTimestamp(block.block_time) AS block_time
FROM raw_block AS block
WHERE block.chain_id = {chain_id:UInt32} AND block.block_number <= {block:UInt64}
ORDER BY block.chain_id DESC, block.block_number DESC
LIMIT 1
