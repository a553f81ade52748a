SELECT id, wallet, plan, created_at FROM account WHERE id = %(account_id)s
