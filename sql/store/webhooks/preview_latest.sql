-- The newest events that a subscription would have received.
SELECT found.* FROM unnest(CAST(%(events)s AS text[])) AS wanted (type)
CROSS JOIN LATERAL (
    SELECT e.id, e.type, e.created_at, CAST(e.payload AS text) AS data FROM event_log AS e
    WHERE e.type = wanted.type AND e.created_at >= %(begin)s AND e.created_at < %(end)s AND webhook_matches(
        e.type, e.chain_id, e.token_id, e.account_id, CAST(%(account_id)s AS uuid),
        CAST(%(chain_ids)s AS bigint[]), CAST(%(crown_ids)s AS bigint[]), CAST(%(private_types)s AS text[]))
    ORDER BY e.created_at DESC LIMIT %(latest)s
) AS found
ORDER BY found.created_at DESC, found.id DESC LIMIT %(latest)s
