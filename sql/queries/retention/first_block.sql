-- The first block from a time on.
SELECT min(block_number) AS first_block
FROM raw_block
WHERE chain_id = {chain_id:UInt32} AND block_time >= {since:DateTime('UTC')}
