UPDATE registration SET metadata = CAST(%(document)s AS jsonb), updated_at = now()
WHERE metadata_cid = %(cid)s AND metadata IS NULL
RETURNING chain_id, token_id, token_address
