SELECT wallet FROM account_wallet WHERE account_id = %(account_id)s ORDER BY linked_at, wallet
