INSERT INTO webhook_secret (subscription_id, sealed) VALUES (%(id)s, %(sealed)s)
