-- Whether alerts have to be evaluated: a rule is enabled, or an alert is not resolved.
SELECT EXISTS (SELECT FROM alert_rule WHERE enabled)
    OR EXISTS (SELECT FROM alert_instance WHERE status <> 'resolved') AS due
