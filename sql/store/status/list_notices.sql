SELECT kind, subject, severity, summary, started_at FROM operator_alert WHERE firing ORDER BY started_at
