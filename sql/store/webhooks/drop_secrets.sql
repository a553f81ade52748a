-- Keep the newest valid secrets only: each is a signature in every delivery.
DELETE FROM webhook_secret WHERE subscription_id = %(id)s AND id NOT IN (
    SELECT id FROM webhook_secret WHERE subscription_id = %(id)s AND (ends_at IS NULL OR ends_at > %(now)s)
    ORDER BY id DESC LIMIT %(kept)s)
