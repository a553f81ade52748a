SELECT id, channel, sealed, created_at, confirmed_at, failed_at
FROM contact WHERE account_id = %(account_id)s
ORDER BY channel
