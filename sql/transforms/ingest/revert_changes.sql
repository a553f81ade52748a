-- What the units taken back had touched is touched again, under the change that takes them back.
INSERT INTO fact_change (chain_id, change_id, subject, key, from_block, from_time)
SELECT {chain_id:UInt32}, {change_id:UInt64}, subject, key, min(from_block), min(from_time)
FROM fact_change
WHERE chain_id = {chain_id:UInt32} AND change_id IN {units:Array(UInt64)}
GROUP BY subject, key
ORDER BY subject, key
