-- Channels over which a message about an alert is due.
SELECT channel
FROM unnest(CAST(%(channels)s AS text[])) AS channel
WHERE EXISTS (
    SELECT FROM alert_message AS message
    WHERE message.channel = channel.channel AND message.status = 'pending' AND message.due_at <= %(now)s
)
