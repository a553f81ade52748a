-- What an evaluation found out about rules, a JSON array of objects. A rule that its owner changed or deleted meanwhile
-- is left as it is; returned are those that were not.
UPDATE alert_rule AS rule
SET judged = true, fired = found.fired, last_fired_at = CASE WHEN found.last_fired > 0 THEN to_timestamp(found.last_fired) END
FROM jsonb_to_recordset(CAST(%(standings)s AS jsonb)) AS found (
    id uuid, revision integer, fired boolean, last_fired bigint
)
WHERE rule.id = found.id AND rule.revision = found.revision AND rule.enabled
RETURNING rule.id
