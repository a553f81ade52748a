UPDATE ingest_unit SET status = %(status)s, finished_at = now() WHERE unit_id = ANY(%(unit_ids)s)
