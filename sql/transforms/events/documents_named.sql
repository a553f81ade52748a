-- The symbols of registrations and the metadata documents they named, in order.
SELECT token_id, kind, block_number, log_index, symbol, metadata_cid
FROM fact_registry_event
WHERE chain_id = {chain_id:UInt32} AND block_number <= {final:UInt64} AND token_id IN {token_ids:Array(UInt64)}
  AND kind IN ('registered', 'metadata')
ORDER BY block_number, log_index
