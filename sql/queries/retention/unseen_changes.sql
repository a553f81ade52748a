-- How many changes below a block some step, event source or reorganisation may still need.
SELECT count() AS changes
FROM fact_change
WHERE chain_id = {chain_id:UInt32} AND change_id >= {needed_from:UInt64} AND from_block < {block:UInt64}
