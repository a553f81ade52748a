DELETE FROM contact WHERE account_id = %(account_id)s AND channel = %(channel)s
