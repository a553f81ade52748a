SELECT asset AS step, nullif(chain_id, 0) AS chain_id, last_started_at AS started_at, last_seconds AS seconds,
       last_row_count AS row_count, last_range_from AS range_from, last_range_to AS range_to, failures
FROM asset_total
ORDER BY asset, chain_id
