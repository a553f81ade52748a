-- How many events of each type a subscription would have received.
SELECT wanted.type, (
    SELECT count(*) FROM (
        SELECT FROM event_log AS e
        WHERE e.type = wanted.type AND e.created_at >= %(begin)s AND e.created_at < %(end)s AND webhook_matches(
            e.type, e.chain_id, e.token_id, e.account_id, CAST(%(account_id)s AS uuid),
            CAST(%(chain_ids)s AS bigint[]), CAST(%(crown_ids)s AS bigint[]), CAST(%(private_types)s AS text[]))
        LIMIT %(most)s) AS found
) AS count
FROM unnest(CAST(%(events)s AS text[])) WITH ORDINALITY AS wanted (type, place) ORDER BY wanted.place
