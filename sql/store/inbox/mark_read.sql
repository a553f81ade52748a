-- Mark messages as read: those that are named, or all up to one.
UPDATE inbox_entry SET read_at = %(now)s
WHERE account_id = %(account_id)s AND read_at IS NULL
  AND (message_id = ANY(CAST(%(ids)s AS uuid[])) OR message_id <= CAST(%(through)s AS uuid))
