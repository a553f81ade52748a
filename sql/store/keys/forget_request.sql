UPDATE api_key SET idempotency_key = NULL, request_hash = NULL, sealed_secret = NULL
WHERE account_id = %(account_id)s AND idempotency_key = %(idempotency_key)s
