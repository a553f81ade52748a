SELECT unit_id
FROM ingest_unit
WHERE chain_id = %(chain_id)s AND last_block = %(block)s AND status = 'published'
