SELECT queue_name AS queue,
       count(*) FILTER (WHERE status = 'todo') AS waiting,
       count(*) FILTER (WHERE status = 'doing') AS running,
       count(*) FILTER (WHERE status = 'failed') AS failed
FROM jobs.procrastinate_jobs
GROUP BY queue_name
ORDER BY queue_name
