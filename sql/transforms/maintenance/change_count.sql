-- How many changes of a chain were not thinned out.
SELECT count() AS changes
FROM fact_change
WHERE chain_id = {chain_id:UInt32} AND change_id > 0
