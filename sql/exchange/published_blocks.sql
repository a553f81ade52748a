-- Up to where each chain's rows are published.
SELECT chain_id, block_number
FROM chain_checkpoint
WHERE block_number IS NOT NULL
ORDER BY chain_id
