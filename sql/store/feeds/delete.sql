DELETE FROM alert_feed WHERE id = %(id)s AND account_id = %(account_id)s RETURNING id
