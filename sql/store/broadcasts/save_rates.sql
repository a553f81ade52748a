UPDATE channel_rate SET tokens = left_over.tokens, counted_at = %(now)s
FROM unnest(CAST(%(channels)s AS text[]), CAST(%(tokens)s AS double precision[])) AS left_over (channel, tokens)
WHERE channel_rate.channel = left_over.channel
