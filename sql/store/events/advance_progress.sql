-- Moves a source on, unless another pass has done so: then there is no row, and nothing is to be recorded.
UPDATE event_progress
SET position = %(position)s, in_time = %(in_time)s, looked_at = %(looking_at)s
WHERE chain_id = %(chain_id)s AND source = %(source)s AND position IS NOT DISTINCT FROM %(before)s::bigint
RETURNING position
