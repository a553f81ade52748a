-- For each chain, the first change that is still needed: every subject has processed all earlier changes, they are
-- final, and every source of events has read their blocks. Chains without a derivation checkpoint are left out.
SELECT
    chain_checkpoint.chain_id,
    chain_checkpoint.block_time,
    least(
        (SELECT min(change_id) FROM derive_checkpoint AS mark WHERE mark.chain_id = chain_checkpoint.chain_id),
        (
            SELECT min(unit_id)
            FROM ingest_unit
            WHERE ingest_unit.chain_id = chain_checkpoint.chain_id AND status = 'published' AND last_block > least(
                final_block,
                (
                    SELECT min(coalesce(position, -1)) FROM event_progress AS progress
                    WHERE progress.chain_id = chain_checkpoint.chain_id AND source IN ('holdings', 'trades')
                )
            )
        )
    ) AS needed_from
FROM chain_checkpoint
WHERE final_block IS NOT NULL AND block_time IS NOT NULL
  AND EXISTS (SELECT FROM derive_checkpoint AS mark WHERE mark.chain_id = chain_checkpoint.chain_id)
ORDER BY chain_checkpoint.chain_id
