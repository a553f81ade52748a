-- Which of the addresses are pools, and since which block.
SELECT lower(hex(pool)) AS address, min(block_number) AS since
FROM fact_pool
WHERE chain_id = {chain_id:UInt32} AND block_number <= {final:UInt64}
  AND pool IN (SELECT unhex(arrayJoin({addresses:Array(String)})))
GROUP BY pool
