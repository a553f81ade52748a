SELECT toUInt32(block_time) AS seconds
FROM raw_block
WHERE chain_id = {chain_id:UInt32} AND block_number = {final:UInt64}
