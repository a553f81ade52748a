-- What indexers published last on all chains, newest first.
SELECT chain_id, first_block, last_block, row_counts, finished_at
FROM ingest_unit
WHERE status = 'published'
ORDER BY unit_id DESC
LIMIT 1000
