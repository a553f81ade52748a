-- The lowest block that can be in the buckets of pools with new or reverted events; blocks are in the order of their
-- times. Without such pools no block is looked up.
WITH (
    SELECT (min(from_block), toStartOfFiveMinutes(min(from_time)))
    FROM fact_change
    WHERE chain_id = {chain_id:UInt32} AND change_id > {after:UInt64} AND change_id <= {up_to:UInt64}
      AND subject = 'pool'
) AS earliest
SELECT min(block_number) AS first_block
FROM raw_block
WHERE chain_id = {chain_id:UInt32} AND block_number <= {through:UInt64}
  AND earliest.1 > 0 AND block_number + 100000 >= earliest.1 AND block_time >= earliest.2
