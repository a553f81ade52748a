SELECT count(*) AS rules FROM alert_rule WHERE account_id = %(account_id)s
