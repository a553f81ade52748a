-- Resolve those of an account's alerts that are not; returned are those that were not. The rule does not fire again
-- before its readings recover.
UPDATE alert_instance
SET status = 'resolved', resolved_at = now(), resolved_reason = 'manual'
WHERE account_id = %(account_id)s AND id = ANY(%(ids)s) AND status <> 'resolved'
RETURNING id, wallet, alert_type, symbol, resolved_at AS happened_at
