-- Advance the sources of a chain without registrations past its blocks. told_from is set as in start_progress.sql.
INSERT INTO event_progress AS progress (chain_id, source, position, told_from)
SELECT
    %(chain_id)s, source, %(position)s,
    least(now(), (
        SELECT block_time FROM chain_checkpoint WHERE chain_id = %(chain_id)s AND block_number >= head_block
    )) - interval '1 day'
FROM unnest(%(sources)s::text[]) AS source
ORDER BY source
ON CONFLICT (chain_id, source) DO UPDATE SET position = excluded.position, looked_at = now()
WHERE progress.position IS NULL OR progress.position < excluded.position
