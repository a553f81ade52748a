-- Announce again, under the revert's own change, what the reverted units touched. If they include changes that were
-- thinned out, announce every key from the lowest reverted block on.
INSERT INTO fact_change (chain_id, change_id, subject, key, from_block, from_time)
WITH
(
    SELECT max(from_block) > arrayMin({units:Array(UInt64)})
    FROM fact_change
    WHERE chain_id = {chain_id:UInt32} AND change_id = 0
) AS thinned,
(
    SELECT tuple(min(block_number), min(block_time))
    FROM raw_block
    WHERE chain_id = {chain_id:UInt32} AND unit_id IN {units:Array(UInt64)}
) AS lowest
SELECT
    {chain_id:UInt32}, {change_id:UInt64}, subject, key,
    if(thinned, lowest.1, min(from_block)), if(thinned, lowest.2, min(from_time))
FROM fact_change
WHERE chain_id = {chain_id:UInt32} AND change_id > 0 AND (change_id IN {units:Array(UInt64)} OR thinned)
GROUP BY subject, key
ORDER BY subject, key
