-- The last attempt to fail releases the reserved space.
UPDATE metadata_upload SET attempts = array_remove(attempts, %(attempt)s)
WHERE account_id = %(account)s AND cid = %(cid)s AND stored_at IS NULL
