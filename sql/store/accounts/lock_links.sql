SELECT FROM account WHERE id = %(account_id)s FOR NO KEY UPDATE
