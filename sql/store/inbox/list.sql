-- Messages of an account, newest first.
SELECT
    message.id, message.kind, message.title, message.body, message.link_url, message.image_url, message.rich_content,
    message.chain_id, message.token_id, message.symbol, message.created_at, entry.read_at
FROM inbox_entry AS entry
JOIN inbox_message AS message ON message.id = entry.message_id
WHERE entry.account_id = %(account_id)s
  AND (CAST(%(before)s AS uuid) IS NULL OR entry.message_id < %(before)s)
  AND (entry.read_at IS NULL OR NOT %(unread)s)
ORDER BY entry.message_id DESC
LIMIT %(limit)s
