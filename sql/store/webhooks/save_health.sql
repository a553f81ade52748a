-- Count failures, and disable the subscription if a reason is given.
UPDATE webhook_subscription SET
    consecutive_failures = %(failures)s,
    status = CASE WHEN CAST(%(reason)s AS text) IS NULL THEN status ELSE 'disabled' END,
    disabled_reason = coalesce(%(reason)s, disabled_reason),
    disabled_at = CASE WHEN CAST(%(reason)s AS text) IS NULL THEN disabled_at ELSE %(now)s END,
    updated_at = CASE WHEN CAST(%(reason)s AS text) IS NULL THEN updated_at ELSE %(now)s END
WHERE id = %(id)s
