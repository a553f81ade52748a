-- Advances a source, unless another refresh run has done so: then it returns no row, and nothing is recorded.
UPDATE event_progress
SET position = %(position)s, in_time = %(in_time)s, looked_at = %(looking_at)s
WHERE chain_id = %(chain_id)s AND source = %(source)s AND position IS NOT DISTINCT FROM %(before)s::bigint
RETURNING position
