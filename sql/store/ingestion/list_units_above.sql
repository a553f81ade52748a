-- Published units that reach beyond a block, newest first.
SELECT unit_id, first_block, last_block, last_hash
FROM ingest_unit
WHERE chain_id = %(chain_id)s AND status = 'published' AND last_block > %(block)s
ORDER BY last_block DESC
