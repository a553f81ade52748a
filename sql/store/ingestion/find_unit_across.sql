-- The published unit that begins before a block and holds it, if there is one.
SELECT unit_id
FROM ingest_unit
WHERE chain_id = %(chain_id)s AND status = 'published' AND first_block < %(block)s AND last_block >= %(block)s
