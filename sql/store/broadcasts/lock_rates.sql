SELECT channel, tokens, counted_at FROM channel_rate WHERE channel = ANY(CAST(%(channels)s AS text[]))
ORDER BY channel
FOR UPDATE
