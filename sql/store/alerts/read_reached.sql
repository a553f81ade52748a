-- How far the data that readings are made of goes, by chain and source, in unix seconds; and through when each is judged.
-- A step stores how far it came with its checkpoint. Copies are found at any time, so they are read as of now. The end of
-- a day is known until the next day ends.
SELECT reached.chain_id, reached.source, reached.reached, extract(epoch FROM judged_through)::bigint AS judged_through
FROM (
    SELECT chain_id, subject AS source,
        CASE subject
            WHEN 'heartbeats' THEN (details ->> 'closed_to')::bigint
            WHEN 'concentration' THEN ((details ->> 'next_day')::bigint + 1) * 86400 - 1
            ELSE (details ->> 'as_of')::bigint
        END AS reached
    FROM derive_checkpoint
    WHERE subject IN ('heartbeats', 'concentration', 'candles', 'holders')
    UNION ALL
    SELECT chain_id, 'copies', extract(epoch FROM now())::bigint
    FROM chain_checkpoint
    WHERE block_number IS NOT NULL
) AS reached
LEFT JOIN alert_progress USING (chain_id, source)
WHERE reached.reached IS NOT NULL
