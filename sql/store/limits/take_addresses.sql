-- Take requests of several addresses at once. Each address's minute begins with its first request.
WITH asked AS (
    SELECT *
    FROM unnest(%(addresses)s::text[], %(kinds)s::text[], %(counts)s::integer[], %(limits)s::integer[])
        AS a (address, kind, count, per_minute)
)
INSERT INTO address_window AS w (address, kind, began_at, used)
SELECT address, kind, statement_timestamp(), LEAST(count, per_minute)
FROM asked
ORDER BY address, kind
ON CONFLICT (address, kind) DO UPDATE SET (began_at, used) = (
    SELECT
        CASE WHEN over THEN GREATEST(w.began_at, statement_timestamp()) ELSE w.began_at END,
        CASE WHEN over THEN excluded.used ELSE GREATEST(w.used, LEAST(w.used + a.count, a.per_minute)) END
    FROM asked AS a
    CROSS JOIN LATERAL (SELECT w.began_at + interval '1 minute' <= statement_timestamp() AS over) AS minute
    WHERE a.address = w.address AND a.kind = w.kind
)
RETURNING
    address,
    kind,
    CASE WHEN new.began_at = old.began_at THEN new.used - old.used ELSE new.used END AS granted,
    extract(epoch FROM new.began_at + interval '1 minute' - statement_timestamp())::float8 AS wait_seconds
