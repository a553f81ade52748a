DELETE FROM metadata_upload WHERE account_id = %(account)s AND cid = %(cid)s AND stored_at IS NULL AND attempts = '{}'
