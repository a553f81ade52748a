-- Note that a condition holds. A condition that did not hold begins a new episode.
INSERT INTO operator_alert AS notice (key, kind, subject, severity, summary, details, firing)
VALUES (%(key)s, %(kind)s, %(subject)s, %(severity)s, %(summary)s, %(details)s, true)
ON CONFLICT (key) DO UPDATE SET
    severity = excluded.severity, summary = excluded.summary, details = excluded.details,
    firing = true, seen_at = now(), resolved_at = NULL,
    episode = notice.episode + CASE WHEN notice.firing THEN 0 ELSE 1 END,
    started_at = CASE WHEN notice.firing THEN notice.started_at ELSE now() END
RETURNING kind, subject, severity, summary, details, episode, started_at, resolved_at
