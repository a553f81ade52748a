SELECT sealed FROM webhook_secret WHERE subscription_id = %(id)s AND ends_at IS NULL
