-- The first block of the five minutes before a moment, or of later ones.
SELECT min(block_number) AS first_block
FROM raw_block
WHERE chain_id = {chain_id:UInt32} AND block_number <= {through:UInt64}
  AND block_time >= {from:DateTime('UTC')} - 300
