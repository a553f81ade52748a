SELECT DISTINCT token_id
FROM fact_registry_event
WHERE chain_id = {chain_id:UInt32} AND block_number <= {through:UInt64} AND block_number >=
(
    SELECT min(from_block) FROM fact_change
    WHERE chain_id = {chain_id:UInt32} AND change_id > {after:UInt64} AND change_id <= {up_to:UInt64}
      AND subject = 'registry'
)
