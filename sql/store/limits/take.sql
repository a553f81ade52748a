-- Requests of several subjects at once: tokens first, then the day's quota, each as far as it goes. One statement, so
-- that what it grants is counted even if the caller disconnects. Rows are locked in the order of their subjects, so
-- concurrent processes cannot deadlock.
WITH asked AS (
    SELECT *
    FROM unnest(
        %(subjects)s::uuid[], %(accounts)s::uuid[], %(counts)s::integer[],
        %(rates)s::double precision[], %(bursts)s::double precision[], %(quotas)s::bigint[]
    ) AS a (subject, account_id, count, per_second, burst, per_day)
),
bucket AS (
    INSERT INTO rate_bucket AS b (subject, tokens, counted_at, granted)
    SELECT subject, burst - LEAST(count, burst), statement_timestamp(), LEAST(count, burst)
    FROM asked
    ORDER BY subject
    ON CONFLICT (subject) DO UPDATE SET (tokens, counted_at, granted) = (
        SELECT
            GREATEST(level.tokens - LEAST(a.count, floor(level.tokens + 1e-6)), 0),
            GREATEST(b.counted_at, statement_timestamp()),
            LEAST(a.count, floor(level.tokens + 1e-6))
        FROM asked AS a
        CROSS JOIN LATERAL (
            SELECT LEAST(
                a.burst,
                b.tokens + a.per_second * GREATEST(0, extract(epoch FROM statement_timestamp() - b.counted_at)::float8)
            ) AS tokens
        ) AS level
        WHERE a.subject = b.subject
    )
    RETURNING subject, tokens, granted
),
usage AS (
    INSERT INTO api_usage AS u (subject, day, account_id, used, per_day)
    SELECT a.subject, %(day)s::date, a.account_id, LEAST(bucket.granted, a.per_day), a.per_day
    FROM bucket JOIN asked AS a USING (subject)
    ORDER BY a.subject
    ON CONFLICT (subject, day) DO UPDATE SET
        used = u.used + LEAST(excluded.used, GREATEST(excluded.per_day - u.used, 0)),
        per_day = excluded.per_day
    RETURNING subject, day, account_id, new.used, per_day, told AS reported, new.used - COALESCE(old.used, 0) AS granted
)
SELECT usage.*, bucket.tokens
FROM usage JOIN bucket USING (subject)
