-- How far a source of events has looked; its first look makes the row. It tells from a day before that: by the clock,
-- or by the chain's own, which may be behind, where the chain is known to its head. rewound_to is the block before
-- everything that was reverted since, where that reached what the source had seen: an operator's rewind, as blocks are
-- final by then.
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
