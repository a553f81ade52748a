-- The position of a source of events; the first read creates the row. Its events are delivered if they happened at most
-- a day before that, by the wall clock, or by the chain's own clock, which may lag, if the chain is indexed up to its
-- head. rewound_to is the block before the lowest one that was reverted since the last read, if a reverted unit
-- contains the source's position. Those blocks were final, so only an operator's rewind does that.
WITH begun AS (
    INSERT INTO event_progress (chain_id, source, told_from)
    SELECT %(chain_id)s, %(source)s, least(now(), max(block_time)) - interval '1 day'
    FROM chain_checkpoint
    WHERE chain_id = %(chain_id)s AND block_number >= head_block
    ON CONFLICT DO NOTHING
    RETURNING position, in_time, told_from, looked_at
),
progress AS (
    SELECT * FROM begun
    UNION ALL
    SELECT position, in_time, told_from, looked_at
    FROM event_progress
    WHERE chain_id = %(chain_id)s AND source = %(source)s
)
SELECT
    position, in_time, told_from, now() AS looking_at,
    extract(epoch FROM now() - looked_at)::float AS rested_seconds,
    CASE WHEN EXISTS (
        SELECT FROM ingest_unit
        WHERE chain_id = %(chain_id)s AND last_block >= position AND first_block <= position
          AND status = 'reverted' AND finished_at > looked_at
    ) THEN (
        SELECT min(first_block) - 1 FROM ingest_unit
        WHERE chain_id = %(chain_id)s AND status = 'reverted' AND finished_at > looked_at
    ) END AS rewound_to
FROM progress
