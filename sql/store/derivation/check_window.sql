-- Whether a published block still is what it was: whatever reverts a block at or below it reverts its unit, and
-- says so before the first row goes.
SELECT
    coalesce(pending ->> 'phase', '') <> 'revert' AND block_number >= %(through)s
    AND (
        %(unit_id)s::bigint IS NULL
        OR EXISTS (SELECT FROM ingest_unit WHERE unit_id = %(unit_id)s::bigint AND status = 'published')
    ) AS stands
FROM chain_checkpoint
WHERE chain_id = %(chain_id)s
