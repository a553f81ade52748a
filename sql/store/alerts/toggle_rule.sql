-- Switch a rule off; or on again, if its type is among those that the plan covers. It is judged anew, as after a change.
UPDATE alert_rule
SET enabled = NOT enabled, revision = revision + 1, updated_at = now(), judged = false, fired = false,
    last_fired_at = NULL
WHERE id = %(id)s AND account_id = %(account_id)s AND (enabled OR alert_type = ANY(%(covered)s))
RETURNING id
