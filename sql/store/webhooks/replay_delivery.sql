INSERT INTO webhook_delivery (subscription_id, event_id, event_type, cause, due_at, created_at)
SELECT subscription_id, event_id, event_type, 'replay', %(now)s, %(now)s
FROM webhook_delivery WHERE id = %(delivery_id)s
ON CONFLICT DO NOTHING
