INSERT INTO metadata_upload (account_id, cid, media_type, size_bytes, stored_at)
VALUES (%(account)s, %(cid)s, %(media_type)s, %(size)s, now())
ON CONFLICT (account_id, cid) DO UPDATE
SET stored_at = COALESCE(metadata_upload.stored_at, now()), attempts = '{}'
