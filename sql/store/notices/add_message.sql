INSERT INTO alert_delivery (alert_key, change_key, body)
VALUES (%(key)s, %(change)s, %(body)s)
ON CONFLICT (change_key) DO NOTHING
