SELECT chain_id, block_number, block_time, final_block, head_block, halted, pending ->> 'phase' AS phase, updated_at
FROM chain_checkpoint
