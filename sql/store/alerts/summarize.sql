SELECT
    count(*) FILTER (WHERE status = 'active') AS active,
    count(*) FILTER (WHERE status = 'acknowledged') AS acknowledged,
    count(*) FILTER (WHERE status = 'resolved') AS resolved
FROM alert_instance
WHERE account_id = %(account_id)s
