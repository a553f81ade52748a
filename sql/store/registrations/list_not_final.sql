-- Registrations that the chain may still take back, or that became final: those the pass must look at.
SELECT token_id, token_address, block_number, block_hash, log_index
FROM registration
WHERE chain_id = %(chain_id)s AND NOT is_final AND block_number <= %(through)s
