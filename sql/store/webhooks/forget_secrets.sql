DELETE FROM webhook_secret WHERE ends_at < %(now)s
