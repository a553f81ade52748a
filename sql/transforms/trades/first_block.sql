-- The first block that a set of buckets can hold events of: blocks are in the order of their times.
SELECT min(block_number) AS first_block
FROM raw_block
WHERE chain_id = {chain_id:UInt32} AND block_number <= {through:UInt64}
  AND block_number + 100000 >= (
      SELECT min(from_block) FROM fact_change
      WHERE chain_id = {chain_id:UInt32} AND change_id > {after:UInt64} AND change_id <= {up_to:UInt64} AND subject = 'pool'
  )
  AND block_time >= (SELECT min(from_bucket) FROM work_pool)
