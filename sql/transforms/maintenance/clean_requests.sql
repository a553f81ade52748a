-- Remove requests that every consumer has processed.
DELETE FROM agg_document_request WHERE chain_id = {chain_id:UInt32} AND version <= {seen:UInt64}
