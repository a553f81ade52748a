SELECT subject, day, account_id, used, per_day, told AS reported
FROM api_usage
JOIN unnest(CAST(%(subjects)s AS uuid[]), CAST(%(days)s AS date[])) AS a (subject, day) USING (subject, day)
ORDER BY account_id, subject, day
