SELECT id, request_hash, status, expected, due_at, created_at FROM broadcast
WHERE account_id = %(account_id)s AND idempotency_key = %(key)s
