SELECT COALESCE(sum(size_bytes) FILTER (WHERE cid <> %(cid)s), 0)::bigint AS others,
       COALESCE(bool_or(cid = %(cid)s), false) AS is_there
FROM metadata_upload
WHERE account_id = %(account)s AND (stored_at IS NOT NULL OR created_at > now() - interval '10 minutes')
