-- Lock by ascending id with the weakest sufficient lock: fan-out references the same rows in another order.
SELECT id, account_id, url, status, consecutive_failures FROM webhook_subscription
WHERE id = ANY(CAST(%(ids)s AS uuid[])) ORDER BY id FOR NO KEY UPDATE
