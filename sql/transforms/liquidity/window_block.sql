-- The first indexed block in the window. Only the last 200,000 blocks are searched.
SELECT min(block_number) AS first_block
FROM raw_block
WHERE chain_id = {chain_id:UInt32} AND block_number <= {through:UInt64} AND block_time >= {window_start:DateTime('UTC')}
  AND block_number + 200000 >= {through:UInt64}
