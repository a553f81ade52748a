SELECT count(*) AS unread FROM inbox_entry WHERE account_id = %(account_id)s AND read_at IS NULL
