SELECT chain_id, generation, block_number, block_hash, block_time, pending, halted, final_block
FROM chain_checkpoint
WHERE chain_id = %(chain_id)s
