INSERT INTO webhook_delivery AS d (subscription_id, event_type, cause, test_payload, due_at, created_at)
VALUES (%(id)s, %(type)s, 'test', CAST(%(payload)s AS jsonb), %(now)s, %(now)s)
RETURNING d.id, d.event_id, d.event_type, d.cause, d.status, d.attempts, d.due_at, d.created_at, d.finished_at,
    CAST(NULL AS integer) AS last_status, CAST(NULL AS text) AS last_problem
