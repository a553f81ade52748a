INSERT INTO deal_group (id, account_id, size, created_at) VALUES (%(id)s, %(account_id)s, %(size)s, %(created_at)s)
