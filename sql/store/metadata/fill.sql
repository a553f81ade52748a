UPDATE registration SET metadata = CAST(%(document)s AS jsonb), updated_at = now()
WHERE metadata_cid = %(cid)s AND metadata IS NULL
