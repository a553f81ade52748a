UPDATE webhook_subscription SET consecutive_failures = 0
WHERE id = ANY(CAST(%(ids)s AS uuid[])) AND consecutive_failures > 0
