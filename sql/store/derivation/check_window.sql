-- Whether a published block is unchanged. Reverting a block at or below it reverts its unit too, and the checkpoint
-- says so (phase revert) before the first row is deleted.
SELECT
    coalesce(pending ->> 'phase', '') <> 'revert' AND block_number >= %(through)s
    AND (
        %(unit_id)s::bigint IS NULL
        OR EXISTS (SELECT FROM ingest_unit WHERE unit_id = %(unit_id)s::bigint AND status = 'published')
    ) AS stands
FROM chain_checkpoint
WHERE chain_id = %(chain_id)s
