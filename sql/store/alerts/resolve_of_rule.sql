-- Resolve the open alert of a rule that is changed or deleted.
UPDATE alert_instance
SET status = 'resolved', resolved_at = now(), resolved_reason = 'manual'
WHERE rule_id = %(rule_id)s AND account_id = %(account_id)s AND status <> 'resolved'
RETURNING id, wallet, alert_type, symbol, resolved_at AS happened_at
