-- Channels over which a message of a feed is due.
SELECT channel
FROM unnest(CAST(%(channels)s AS text[])) AS channel
WHERE EXISTS (
    SELECT FROM alert_feed_message AS message
    WHERE message.channel = channel.channel AND message.status = 'pending' AND message.due_at <= %(now)s
)
