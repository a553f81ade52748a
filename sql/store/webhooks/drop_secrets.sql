-- Keep only the newest valid secrets: each adds a signature to every delivery.
DELETE FROM webhook_secret WHERE subscription_id = %(id)s AND id NOT IN (
    SELECT id FROM webhook_secret WHERE subscription_id = %(id)s AND (ends_at IS NULL OR ends_at > %(now)s)
    ORDER BY id DESC LIMIT %(kept)s)
