-- The operator's word on a broadcast that waits for it.
UPDATE broadcast SET
    status = %(status)s, status_reason = %(reason)s,
    reviewed_at = CASE WHEN %(status)s = 'queued' THEN CAST(%(now)s AS timestamptz) END,
    due_at = greatest(due_at, %(now)s), try_at = greatest(due_at, %(now)s)
WHERE id = %(id)s AND status = 'review'
RETURNING id
