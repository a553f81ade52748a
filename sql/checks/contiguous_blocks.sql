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
    WHERE chain_id = {chain_id:UInt32} AND block_number <= {to_block:UInt64}
      -- From the block before the first one on: whether that one follows it is asked, too.
      AND block_number >= coalesce((
          SELECT maxOrNull(block_number) FROM raw_block
          WHERE chain_id = {chain_id:UInt32} AND block_number < {from_block:UInt64}
      ), {from_block:UInt64})
    WINDOW chain AS (PARTITION BY chain_id ORDER BY block_number ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
)
WHERE position > 1 AND parent_hash != previous_hash
LIMIT 100
