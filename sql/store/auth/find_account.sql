SELECT account_id FROM account_wallet WHERE wallet = %(wallet)s
