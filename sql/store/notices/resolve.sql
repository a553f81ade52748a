-- Note that a condition does not hold any more; no row if it did not hold before.
UPDATE operator_alert SET firing = false, resolved_at = now()
WHERE key = %(key)s AND firing
RETURNING kind, subject, severity, summary, details, episode, started_at, resolved_at
