-- Deals whose deadline has passed, the oldest first.
SELECT deal.*, NULL::text AS holder_now
FROM deal
WHERE deadline <= %(now)s AND paused_at IS NULL AND stage NOT IN ('settling', 'completed', 'closed')
  AND status <> 'migrating'
ORDER BY deadline, id
LIMIT %(limit)s
