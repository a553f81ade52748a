SELECT id FROM alert_rule WHERE id = %(id)s AND account_id = %(account_id)s FOR UPDATE
