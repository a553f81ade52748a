-- Messages about a condition that still holds are kept: they are what keeps it from being reported again.
DELETE FROM alert_delivery
WHERE finished_at < now() - make_interval(days => %(days)s)
  AND NOT EXISTS (SELECT FROM operator_alert WHERE operator_alert.key = alert_key AND firing)
