-- The ids of the first and the last unit that contain any of the blocks; their changes have the same ids.
SELECT min(unit_id) AS first_unit, max(unit_id) AS last_unit
FROM ingest_unit
WHERE chain_id = %(chain_id)s AND status = 'published' AND last_block > %(after)s AND first_block <= %(through)s
