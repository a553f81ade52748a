-- The block through which each chain's tokens have been brought up to date.
SELECT chain_id, (details ->> 'through')::bigint AS through
FROM derive_checkpoint
WHERE subject = 'tokens' AND details ? 'through'
