UPDATE alert_rule
SET alert_type = %(alert_type)s, operator = %(operator)s, threshold = %(threshold)s,
    window_minutes = %(window_minutes)s, cooldown_minutes = %(cooldown_minutes)s, enabled = %(enabled)s,
    revision = revision + 1, updated_at = now()
WHERE id = %(id)s
