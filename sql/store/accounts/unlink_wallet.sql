DELETE FROM account_wallet WHERE wallet = %(wallet)s AND account_id = %(account_id)s
