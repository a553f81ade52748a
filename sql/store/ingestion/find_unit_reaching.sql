-- The first published unit that ends with a block or later.
SELECT unit_id, first_block, last_block, last_hash
FROM ingest_unit
WHERE chain_id = %(chain_id)s AND status = 'published' AND last_block >= %(block)s
ORDER BY last_block
LIMIT 1
