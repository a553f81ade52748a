-- Remove old events that belong to no run, such as reports of what followers wrote. The newest of each asset, partition
-- and type stays: it says when the asset was made, and which partitions exist.
WITH removed AS (
    DELETE FROM dagster.event_logs
    WHERE id IN (
        SELECT id
        FROM (
            SELECT id, timestamp,
                   row_number() OVER (PARTITION BY asset_key, dagster_event_type, partition ORDER BY id DESC) AS nth
            FROM dagster.event_logs
            WHERE run_id = ''
        ) AS numbered
        WHERE nth > 1 AND timestamp < %(before)s::timestamptz AT TIME ZONE 'UTC'
    )
    RETURNING id
),
untagged AS (
    DELETE FROM dagster.asset_event_tags WHERE event_id IN (SELECT id FROM removed)
)
SELECT count(*) AS removed FROM removed
