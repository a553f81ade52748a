SELECT FROM metadata_upload WHERE cid = %(cid)s AND stored_at IS NOT NULL LIMIT 1
