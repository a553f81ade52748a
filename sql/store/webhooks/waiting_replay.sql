SELECT d.id, d.event_id, d.event_type, d.cause, d.status, d.attempts, d.due_at, d.created_at, d.finished_at,
    t.status AS last_status, t.problem AS last_problem
FROM webhook_delivery AS d LEFT JOIN webhook_attempt AS t ON t.delivery_id = d.id AND t.number = d.attempts
WHERE d.subscription_id = %(id)s AND d.event_id = %(event_id)s AND d.cause = 'replay'
ORDER BY d.id DESC LIMIT 1
