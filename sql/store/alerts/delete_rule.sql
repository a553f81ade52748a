DELETE FROM alert_rule WHERE id = %(id)s AND account_id = %(account_id)s RETURNING id
