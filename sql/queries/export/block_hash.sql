-- The current hash of a published block; empty when the block is gone.
SELECT any(hex(block_hash)) FROM published_raw_block
WHERE chain_id = {chain_id:UInt32} AND block_number = {block:UInt64}
