-- Messages to chats, a JSON array of objects. A chat that has a hundred waiting gets no more until they are sent.
INSERT INTO alert_feed_message (feed_id, block_number, log_index, channel, title, body, link_url, due_at)
SELECT feed.id, found.block_number, found.log_index, feed.channel, found.title, found.body, found.link_url, %(now)s
FROM jsonb_to_recordset(CAST(%(messages)s AS jsonb)) AS found (
    feed_id uuid, block_number bigint, log_index integer, title text, body text, link_url text
)
JOIN alert_feed AS feed ON feed.id = found.feed_id
WHERE (
    SELECT count(*) FROM alert_feed_message AS waiting WHERE waiting.feed_id = feed.id AND waiting.status = 'pending'
) < 100
ON CONFLICT DO NOTHING
