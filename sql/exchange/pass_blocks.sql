-- Moves the sources of a chain that has no registration to tell of past its blocks.
INSERT INTO event_progress AS progress (chain_id, source, position)
SELECT %(chain_id)s, source, %(position)s FROM unnest(%(sources)s::text[]) AS source ORDER BY source
ON CONFLICT (chain_id, source) DO UPDATE SET position = excluded.position, looked_at = now()
WHERE progress.position IS NULL OR progress.position < excluded.position
