INSERT INTO event_log (type, subject, payload, dedupe_key)
VALUES ('pipeline.failed', %(subject)s, %(payload)s, %(dedupe_key)s)
ON CONFLICT (dedupe_key) DO NOTHING
