-- The five-minute bucket of the first of a range of blocks, and the first block in that bucket.
WITH
(
    SELECT toStartOfFiveMinutes(min(block_time)) FROM raw_block
    WHERE chain_id = {chain_id:UInt32} AND block_number >= {first:UInt64} AND block_number <= {final:UInt64}
) AS began
SELECT toUInt32(began) AS bucket, min(block_number) AS first_block
FROM raw_block
WHERE chain_id = {chain_id:UInt32} AND block_number + 100000 >= {first:UInt64} AND block_number <= {final:UInt64}
  AND block_time >= began
