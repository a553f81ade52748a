SELECT d.id, d.event_id, d.event_type, d.cause, d.status, d.attempts, d.due_at, d.created_at, d.finished_at,
    t.status AS last_status, t.problem AS last_problem, coalesce(e.created_at, d.created_at) AS happened_at,
    CAST(coalesce(e.payload, d.test_payload) AS text) AS data
FROM webhook_delivery AS d
LEFT JOIN webhook_attempt AS t ON t.delivery_id = d.id AND t.number = d.attempts
LEFT JOIN event_log AS e ON e.id = d.event_id
WHERE d.subscription_id = %(id)s AND d.id = %(delivery_id)s
