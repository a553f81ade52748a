-- The last of a range of blocks that is older than a given time, if any.
SELECT count() > 0 AS found, max(block_number) AS last_block
FROM raw_block
WHERE chain_id = {chain_id:UInt32} AND block_number >= {first:UInt64} AND block_number <= {final:UInt64}
  AND block_time < {moment:DateTime('UTC')}
