SELECT 'dagster runs' AS queue,
       count(*) FILTER (WHERE status IN ('QUEUED', 'NOT_STARTED')) AS waiting,
       count(*) FILTER (WHERE status IN ('STARTING', 'STARTED', 'CANCELING')) AS running,
       count(*) FILTER (WHERE status = 'FAILURE' AND update_timestamp > now() AT TIME ZONE 'UTC' - interval '1 day')
           AS failed,
       extract(epoch FROM now() AT TIME ZONE 'UTC'
           - min(create_timestamp) FILTER (WHERE status IN ('QUEUED', 'NOT_STARTED'))) AS oldest
FROM dagster.runs
WHERE status IN ('QUEUED', 'NOT_STARTED', 'STARTING', 'STARTED', 'CANCELING', 'FAILURE')
