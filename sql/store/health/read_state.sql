-- One statement for everything. Each part is a small table, or a few rows of a larger one found through an index; at
-- most 100,000 webhook deliveries are counted.
SELECT json_build_object(
  'chains', (
    SELECT json_agg(json_build_object(
        'chain_id', chain_id, 'head', head_block, 'indexed', block_number, 'final', final_block, 'halted', halted,
        'age', extract(epoch FROM now() - block_time), 'quiet', extract(epoch FROM now() - updated_at)))
    FROM chain_checkpoint),
  'counters', (SELECT json_agg(json_build_array(name, chain_id, value)) FROM service_counter),
  'steps', (
    SELECT json_agg(json_build_object(
        'step', asset, 'chain_id', chain_id, 'runs', runs, 'seconds', seconds, 'rows', row_count,
        'failures', failures, 'last_seconds', last_seconds, 'age', extract(epoch FROM now() - last_started_at)))
    FROM asset_total),
  'queues', (
    SELECT json_agg(json_build_object(
        'queue', queue_name, 'waiting', waiting, 'running', running, 'failed', failed, 'oldest', oldest))
    FROM (
        SELECT queue_name,
               count(*) FILTER (WHERE status = 'todo') AS waiting,
               count(*) FILTER (WHERE status = 'doing') AS running,
               count(*) FILTER (WHERE status = 'failed') AS failed,
               extract(epoch FROM now() - min(since) FILTER (WHERE status = 'todo' AND since <= now())) AS oldest
        FROM jobs.procrastinate_jobs AS job
        LEFT JOIN LATERAL (
            SELECT coalesce(job.scheduled_at, min(event.at)) AS since
            FROM jobs.procrastinate_events AS event
            WHERE event.job_id = job.id AND job.status = 'todo'
        ) AS waited ON true
        WHERE status IN ('todo', 'doing', 'failed')
        GROUP BY queue_name
    ) AS queues),
  'alerts', (
    SELECT json_agg(json_build_array(kind, subject, severity)) FROM operator_alert WHERE firing),
  'deliveries', (SELECT json_agg(json_build_array(status, count)) FROM (
    SELECT status, count(*) FROM alert_delivery GROUP BY status) AS counted),
  'webhooks', json_build_object(
    'waiting', (
        SELECT count(*) FROM (SELECT FROM webhook_delivery WHERE status = 'pending' LIMIT 100000) AS pending),
    'running', (
        SELECT count(*) FROM webhook_delivery
        WHERE status = 'pending' AND lease IS NOT NULL AND due_at > now() AND due_at < now() + interval '1 hour'),
    'failed', (
        SELECT count(*) FROM webhook_delivery WHERE status = 'exhausted' AND finished_at > now() - interval '1 day'),
    'oldest', (
        SELECT extract(epoch FROM now() - d.due_at) FROM webhook_delivery AS d
        JOIN webhook_subscription AS s ON s.id = d.subscription_id AND s.status = 'active'
        JOIN account AS a ON a.id = s.account_id AND a.plan IN ('developer', 'partner', 'enterprise')
        WHERE d.status = 'pending' AND d.due_at <= now() ORDER BY d.due_at LIMIT 1)),
  'subscriptions', (SELECT json_agg(json_build_array(status, count)) FROM (
    SELECT status, count(*) FROM webhook_subscription WHERE status <> 'deleted' GROUP BY status) AS counted),
  'events', (SELECT count(*) FROM event_log WHERE fanned_out_at IS NULL),
  'tables', (
    -- Sizes as of the last vacuum or analysis: asking the file system for each would take longer than all the rest.
    SELECT json_agg(json_build_array(name, rows, bytes)) FROM (
        SELECT t.relname AS name, greatest(t.reltuples, 0)::bigint AS rows,
               8192 * (t.relpages + coalesce(sum(i.relpages), 0))::bigint AS bytes
        FROM pg_class AS t
        LEFT JOIN pg_index AS x ON x.indrelid = t.oid
        LEFT JOIN pg_class AS i ON i.oid = x.indexrelid
        WHERE t.relnamespace = 'public'::regnamespace AND t.relkind = 'r'
        GROUP BY t.oid, t.relname, t.reltuples, t.relpages
    ) AS sized),
  'size', pg_database_size(current_database()),
  'dagster', to_regclass('dagster.runs') IS NOT NULL
) AS state
