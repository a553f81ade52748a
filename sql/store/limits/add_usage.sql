INSERT INTO api_usage (subject, day, account_id, used, per_day)
SELECT * FROM unnest(CAST(%(subjects)s AS uuid[]), CAST(%(days)s AS date[]), CAST(%(accounts)s AS uuid[]),
                     CAST(%(counts)s AS bigint[]), CAST(%(quotas)s AS bigint[]))
    AS c (subject, day, account, used, quota)
ORDER BY subject, day
ON CONFLICT (subject, day) DO UPDATE SET used = api_usage.used + excluded.used, per_day = excluded.per_day
