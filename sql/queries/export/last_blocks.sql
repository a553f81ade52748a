-- The last published block of each chain, with its hash and the month of its time.
SELECT
    chain_id,
    block_number,
    any(hex(blocks.block_hash)) AS block_hash,
    any(formatDateTime(blocks.block_time, '%Y-%m')) AS month
FROM published_chain AS chains
INNER JOIN published_raw_block AS blocks USING (chain_id, block_number)
GROUP BY chain_id, block_number
ORDER BY chain_id
