-- Acknowledge those of an account's alerts that are active; returned are those that were.
UPDATE alert_instance
SET status = 'acknowledged', acknowledged_at = now()
WHERE account_id = %(account_id)s AND id = ANY(%(ids)s) AND status = 'active'
RETURNING id, wallet, alert_type, symbol, acknowledged_at AS happened_at
