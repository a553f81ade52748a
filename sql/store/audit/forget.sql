DELETE FROM account_audit
WHERE id IN (SELECT id FROM account_audit WHERE created_at < %(before)s ORDER BY created_at LIMIT %(at_once)s)
