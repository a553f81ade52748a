-- Concurrent uploads of the same content share one row, which lists each attempt. Attempts of a killed process are
-- dropped when the reservation expires.
INSERT INTO metadata_upload AS kept (account_id, cid, media_type, size_bytes, attempts)
VALUES (%(account)s, %(cid)s, %(media_type)s, %(size)s, ARRAY[%(attempt)s::uuid])
ON CONFLICT (account_id, cid) DO UPDATE
SET created_at = now(),
    attempts = excluded.attempts
        || CASE WHEN kept.created_at > now() - interval '10 minutes' THEN kept.attempts ELSE '{}' END
WHERE kept.stored_at IS NULL
