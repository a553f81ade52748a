-- Channels over which something is due.
SELECT channel
FROM unnest(CAST(%(channels)s AS text[])) AS channel
WHERE EXISTS (
    SELECT FROM broadcast_delivery AS d WHERE d.channel = channel.channel AND d.status = 'pending' AND d.due_at <= %(now)s
)
