-- Hashes of the indexed blocks in a range.
SELECT block_number, lower(hex(block_hash)) AS block_hash
FROM raw_block
WHERE chain_id = {chain_id:UInt32} AND block_number BETWEEN {first:UInt64} AND {last:UInt64}
