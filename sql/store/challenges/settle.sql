-- Move a challenge from one state to another. Compare-and-set: no row where it is in another state by now, so that a
-- step that is repeated, or made by two workers, is made once.
UPDATE registration_challenge SET
    state = %(state)s, decided_at = coalesce(%(decided_at)s, decided_at), decided_by = coalesce(%(decided_by)s, decided_by),
    reason = coalesce(%(reason)s, reason), evidence = coalesce(%(evidence)s::jsonb, evidence),
    ended_at = coalesce(%(ended_at)s, ended_at), updated_at = now()
WHERE id = %(id)s AND state = %(before)s
RETURNING *
