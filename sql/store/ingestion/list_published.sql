-- The last published block of each chain.
SELECT chain_id, block_number
FROM chain_checkpoint
WHERE block_number IS NOT NULL
ORDER BY chain_id
