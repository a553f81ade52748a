-- The numbers of the first and the last unit that hold some of the blocks; the changes they made carry them.
SELECT min(unit_id) AS first_unit, max(unit_id) AS last_unit
FROM ingest_unit
WHERE chain_id = %(chain_id)s AND status = 'published' AND last_block > %(after)s AND first_block <= %(through)s
