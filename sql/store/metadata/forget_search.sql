DELETE FROM metadata_search WHERE cid = %(cid)s
