-- Change a rule. It is judged anew: what was known of its readings is forgotten, and an evaluation that has read it
-- before records nothing of it. No row: it is gone, or was changed since its revision was read.
UPDATE alert_rule
SET alert_type = %(alert_type)s, operator = %(operator)s, threshold = %(threshold)s,
    window_minutes = %(window_minutes)s, cooldown_minutes = %(cooldown_minutes)s, enabled = %(enabled)s,
    channels = %(channels)s,
    revision = revision + 1, updated_at = now(), judged = false, fired = false, last_fired_at = NULL
WHERE id = %(id)s AND account_id = %(account_id)s AND revision = %(revision)s
RETURNING id
