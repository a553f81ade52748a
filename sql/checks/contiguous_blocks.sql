-- Blocks whose parent is not the block before them: one is missing, or is of another fork. Numbers may have gaps, because
-- Solana skips slots.
SELECT chain_id, block_number, previous_number, lower(hex(parent_hash)) AS parent, lower(hex(previous_hash)) AS below
FROM
(
    SELECT
        chain_id,
        block_number,
        parent_hash,
        lagInFrame(block_number, 1, 0) OVER chain AS previous_number,
        lagInFrame(block_hash, 1, '') OVER chain AS previous_hash,
        row_number() OVER chain AS position
    FROM raw_block
    WINDOW chain AS (PARTITION BY chain_id ORDER BY block_number ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
)
WHERE position > 1 AND parent_hash != previous_hash
LIMIT 100
