-- A page of a subscription's deliveries, newest first.
SELECT d.id, d.event_id, d.event_type, d.cause, d.status, d.attempts, d.due_at, d.created_at, d.finished_at,
    t.status AS last_status, t.problem AS last_problem
FROM webhook_delivery AS d LEFT JOIN webhook_attempt AS t ON t.delivery_id = d.id AND t.number = d.attempts
WHERE d.subscription_id = %(id)s
  AND (CAST(%(before)s AS uuid) IS NULL OR d.id < %(before)s)
  AND (CAST(%(status)s AS text) IS NULL OR d.status = %(status)s)
  AND (CAST(%(type)s AS text) IS NULL OR d.event_type = %(type)s)
  AND (CAST(%(begin)s AS timestamptz) IS NULL OR d.created_at >= %(begin)s)
  AND (CAST(%(end)s AS timestamptz) IS NULL OR d.created_at < %(end)s)
ORDER BY d.id DESC LIMIT %(limit)s
