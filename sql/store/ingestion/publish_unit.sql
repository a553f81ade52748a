UPDATE ingest_unit
SET status = 'published', finished_at = now(), row_counts = coalesce(%(row_counts)s::jsonb, row_counts)
WHERE unit_id = %(unit_id)s
