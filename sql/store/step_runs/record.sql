-- Add one row of history and update the step's totals, which status and metrics read instead of the history.
WITH run AS (
    INSERT INTO asset_run (asset, chain_id, started_at, seconds, row_count, range_from, range_to)
    VALUES (%(step)s, %(chain_id)s, %(started_at)s, %(seconds)s, %(row_count)s, %(range_from)s, %(range_to)s)
    RETURNING *
)
INSERT INTO asset_total AS total (
    asset, chain_id, runs, seconds, row_count,
    last_started_at, last_seconds, last_row_count, last_range_from, last_range_to
)
SELECT asset, coalesce(chain_id, 0), 1, seconds, row_count, started_at, seconds, row_count, range_from, range_to
FROM run
ON CONFLICT (asset, chain_id) DO UPDATE SET
    runs = total.runs + 1,
    seconds = total.seconds + excluded.seconds,
    row_count = total.row_count + excluded.row_count,
    last_started_at = excluded.last_started_at,
    last_seconds = excluded.last_seconds,
    last_row_count = excluded.last_row_count,
    last_range_from = excluded.last_range_from,
    last_range_to = excluded.last_range_to
