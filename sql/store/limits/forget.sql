-- Remove expired windows of addresses, and buckets that are full again.
WITH windows AS (
    DELETE FROM address_window WHERE began_at < now() - interval '10 minutes' RETURNING 1
),
buckets AS (
    DELETE FROM rate_bucket WHERE counted_at < now() - interval '10 minutes' RETURNING 1
)
SELECT (SELECT count(*) FROM windows) + (SELECT count(*) FROM buckets) AS forgotten
