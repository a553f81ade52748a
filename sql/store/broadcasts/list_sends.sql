-- When broadcasts of a page were or are to be sent, and whether a large one was.
SELECT
    coalesce(array_agg(due_at ORDER BY due_at) FILTER (WHERE due_at > %(since)s), '{}') AS times,
    coalesce(bool_or(reviewed_at IS NOT NULL OR recipients > %(large)s), false) AS was_reviewed
FROM broadcast
WHERE chain_id = %(chain_id)s AND token_id = %(token_id)s AND token_address = %(token_address)s
  AND status NOT IN ('refused', 'cancelled')
