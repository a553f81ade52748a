-- Lease the oldest message that is due. Messages about one condition are sent in their order; a message that fails does
-- not hold up those of other conditions.
UPDATE alert_delivery SET next_attempt_at = %(lease_end)s
WHERE id = (
    SELECT id FROM alert_delivery AS due
    WHERE status = 'waiting' AND next_attempt_at <= %(now)s AND NOT EXISTS (
        SELECT FROM alert_delivery AS earlier
        WHERE earlier.alert_key = due.alert_key AND earlier.status = 'waiting' AND earlier.id < due.id
    )
    ORDER BY id
    LIMIT 1
    FOR UPDATE SKIP LOCKED
)
RETURNING id, body, attempts
