-- Write attempts down while their leases hold.
WITH result AS (
    SELECT * FROM jsonb_to_recordset(CAST(%(results)s AS jsonb)) AS r (
        delivery_id uuid, lease uuid, verdict text, due_at timestamptz, finished_at timestamptz, problem text)
), held AS (
    UPDATE alert_feed_message AS d
    SET status = r.verdict, attempts = d.attempts + 1, due_at = coalesce(r.due_at, d.due_at), problem = r.problem,
        finished_at = r.finished_at, lease = NULL
    FROM result AS r
    WHERE d.id = r.delivery_id AND d.lease = r.lease AND d.status = 'pending'
    RETURNING d.id
)
SELECT count(*) AS counted FROM held
