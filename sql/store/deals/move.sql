-- Take a deal from one state to another. Compare-and-set: no row where the deal is in another state by now, so that of
-- two simultaneous moves one is made. A move that must come in time is not made after the deadline, one of the clock not
-- before it.
UPDATE deal SET
    status = %(status)s, stage = %(stage)s, deadline_kind = %(deadline_kind)s, deadline = %(deadline)s,
    paused_at = %(paused_at)s, holder = coalesce(%(holder)s, holder),
    response_message = coalesce(%(response_message)s, response_message),
    expires_at = CASE WHEN %(status)s = 'draft' THEN expires_at END,
    window_end = coalesce(%(window_end)s, window_end), completed_at = coalesce(%(completed_at)s, completed_at),
    failure_reason = coalesce(%(failure_reason)s, failure_reason),
    authorized_until = coalesce(%(authorized_until)s, authorized_until),
    settlement_hash = coalesce(%(settlement_hash)s, settlement_hash), updated_at = now()
WHERE id = %(id)s AND status = %(status_before)s AND stage = %(stage_before)s
  AND (%(in_time_at)s::timestamptz IS NULL OR deadline IS NULL OR deadline > %(in_time_at)s)
  AND (%(due_at)s::timestamptz IS NULL OR deadline <= %(due_at)s)
RETURNING id
