-- When the chain's known history begins.
SELECT toUInt32(block_time) AS known_from
FROM raw_block
WHERE chain_id = {chain_id:UInt32}
ORDER BY block_number
LIMIT 1
