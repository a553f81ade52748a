-- Registrations that a reorg may still revert, or that became final: those the refresh run must check.
SELECT token_id, token_address, block_number, block_hash, log_index
FROM registration
WHERE chain_id = %(chain_id)s AND NOT is_final AND block_number <= %(through)s
