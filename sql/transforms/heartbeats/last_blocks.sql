-- The highest block between each of some moments and the one before it, by the place of the moment. Moments without
-- blocks in between have no row.
WITH {ends:Array(DateTime('UTC'))} AS ends
SELECT arrayFirstIndex(moment -> block_time < moment, ends) AS place, max(block_number) AS last_block
FROM raw_block
WHERE chain_id = {chain_id:UInt32} AND block_number >= {from_block:UInt64} AND block_number <= {through:UInt64}
  AND block_time < ends[-1]
GROUP BY place
ORDER BY place
