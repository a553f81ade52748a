SELECT chain_id, block_number, halted FROM chain_checkpoint WHERE halted IS NOT NULL ORDER BY chain_id
