SELECT key FROM operator_alert WHERE kind = %(kind)s AND firing
