UPDATE webhook_subscription SET status = 'deleted', idempotency_key = NULL, updated_at = now()
WHERE id = %(id)s AND account_id = %(account_id)s AND status <> 'deleted'
