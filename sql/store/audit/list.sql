SELECT id, action, actor, wallet, session_id, address, key_id, data, created_at FROM account_audit
WHERE account_id = %(account_id)s
  AND (CAST(%(before)s AS uuid) IS NULL OR id < CAST(%(before)s AS uuid))
  AND (CAST(%(action)s AS text) IS NULL OR action = CAST(%(action)s AS text))
  AND (CAST(%(key_id)s AS uuid) IS NULL OR key_id = CAST(%(key_id)s AS uuid))
  AND (CAST(%(begin)s AS timestamptz) IS NULL OR created_at >= CAST(%(begin)s AS timestamptz))
  AND (CAST(%(end)s AS timestamptz) IS NULL OR created_at < CAST(%(end)s AS timestamptz))
ORDER BY id DESC LIMIT %(most)s
