SELECT count(*) AS feeds FROM alert_feed WHERE account_id = %(account_id)s
