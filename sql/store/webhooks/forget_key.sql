-- Let the idempotency key of a subscription be used for another one.
UPDATE webhook_subscription SET idempotency_key = NULL WHERE id = %(id)s
