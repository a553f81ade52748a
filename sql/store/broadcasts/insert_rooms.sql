-- The posts in the token's public rooms.
INSERT INTO broadcast_delivery (broadcast_id, channel, account_id, status, due_at)
SELECT %(id)s, channel, NULL, 'pending', %(now)s
FROM community_room
WHERE chain_id = %(chain_id)s AND token_id = %(token_id)s AND token_address = %(token_address)s
  AND channel = ANY(CAST(%(channels)s AS text[]))
ON CONFLICT DO NOTHING
