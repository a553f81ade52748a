-- Registrations that are not yet marked final: the refresh run checks whether a reorg reverted them or they became
-- final.
SELECT token_id, token_address, block_number, block_hash, log_index
FROM registration
WHERE chain_id = %(chain_id)s AND NOT is_final AND block_number <= %(through)s
