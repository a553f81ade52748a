UPDATE account SET wallet = %(first)s WHERE id = %(account_id)s AND wallet = %(wallet)s
