-- Record an attempt once, whichever process made it.
UPDATE alert_delivery SET
    attempts = attempts + 1, status = %(status)s, next_attempt_at = coalesce(%(due_at)s, next_attempt_at),
    last_error = coalesce(%(problem)s, last_error), finished_at = %(finished_at)s
WHERE id = %(id)s AND attempts = %(attempts)s AND status = 'waiting'
