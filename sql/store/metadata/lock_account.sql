SELECT id FROM account WHERE id = %(account)s FOR UPDATE
