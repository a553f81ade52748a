-- Halt the chain for a reason, or resume it with null, unless another writer moved the checkpoint.
UPDATE chain_checkpoint
SET halted = %(halted)s, generation = generation + 1, updated_at = now()
WHERE chain_id = %(chain_id)s AND generation = %(generation)s
RETURNING chain_id, generation, block_number, block_hash, block_time, pending, halted, final_block
