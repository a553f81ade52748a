SELECT count() AS changes, min(from_block) AS first_block
FROM fact_change
WHERE chain_id = {chain_id:UInt32} AND change_id > {after:UInt64} AND change_id <= {up_to:UInt64}
  AND subject = 'registry'
