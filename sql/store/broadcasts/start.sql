-- The recipients are known: deliveries can be made, and its message in inboxes.
WITH started AS (
    UPDATE broadcast SET status = 'sending', recipients = %(recipients)s, as_of_block = %(as_of_block)s
    WHERE id = %(id)s
    RETURNING *
)
INSERT INTO inbox_message (
    id, kind, title, body, link_url, image_url, rich_content, chain_id, token_id, symbol, created_at
)
SELECT id, 'broadcast', title, body, link_url, image_url, rich_content, chain_id, token_id, %(symbol)s, %(now)s
FROM started
