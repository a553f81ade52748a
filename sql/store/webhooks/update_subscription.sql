UPDATE webhook_subscription SET
    url = %(url)s, events = %(events)s, crown_ids = %(crown_ids)s, chain_ids = %(chain_ids)s, status = %(status)s,
    disabled_reason = %(disabled_reason)s, disabled_at = %(disabled_at)s,
    consecutive_failures = %(consecutive_failures)s, updated_at = now()
WHERE id = %(id)s
