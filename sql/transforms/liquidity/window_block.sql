-- The first block of the window, and nothing when the window lies before the first block known.
SELECT min(block_number) AS first_block
FROM raw_block
WHERE chain_id = {chain_id:UInt32} AND block_number <= {through:UInt64} AND block_time >= {window_start:DateTime('UTC')}
  AND block_number + 200000 >= {through:UInt64}
