UPDATE webhook_secret SET ends_at = %(ends_at)s WHERE subscription_id = %(id)s AND ends_at IS NULL
