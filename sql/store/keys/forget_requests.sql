UPDATE api_key SET idempotency_key = NULL, request_hash = NULL, sealed_secret = NULL
WHERE idempotency_key IS NOT NULL AND created_at <= %(before)s
