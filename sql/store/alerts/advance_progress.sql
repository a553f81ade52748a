-- Moves on through when the readings of a source are judged, unless another evaluation has done so: then it returns no
-- row, and nothing is recorded.
INSERT INTO alert_progress AS progress (chain_id, source, judged_through)
VALUES (%(chain_id)s, %(source)s, to_timestamp(%(judged_through)s))
ON CONFLICT (chain_id, source) DO UPDATE SET judged_through = excluded.judged_through, evaluated_at = now()
WHERE extract(epoch FROM progress.judged_through)::bigint IS NOT DISTINCT FROM %(before)s::bigint
RETURNING source
