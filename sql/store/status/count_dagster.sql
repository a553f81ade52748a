SELECT 'dagster runs' AS queue,
       count(*) FILTER (WHERE status IN ('QUEUED', 'NOT_STARTED')) AS waiting,
       count(*) FILTER (WHERE status IN ('STARTING', 'STARTED', 'CANCELING')) AS running,
       count(*) FILTER (WHERE status = 'FAILURE' AND update_timestamp > now() - interval '1 day') AS failed
FROM dagster.runs
