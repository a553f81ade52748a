SELECT block_number, block_time, final_block, generation, pending
FROM chain_checkpoint
WHERE chain_id = %(chain_id)s
