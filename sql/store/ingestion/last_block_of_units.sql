-- The last block of the units up to a number.
SELECT max(last_block) AS block_number
FROM ingest_unit
WHERE chain_id = %(chain_id)s AND status = 'published' AND unit_id <= %(unit_id)s
