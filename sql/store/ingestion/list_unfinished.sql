-- Chains with an unfinished unit or reorganisation.
SELECT chain_id
FROM chain_checkpoint
WHERE pending IS NOT NULL
