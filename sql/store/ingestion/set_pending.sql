-- Move the checkpoint to another phase. No row is returned if another writer moved it.
UPDATE chain_checkpoint
SET pending = %(pending)s, generation = generation + 1, updated_at = now()
WHERE chain_id = %(chain_id)s AND generation = %(generation)s
RETURNING chain_id, generation, block_number, block_hash, block_time, pending, halted, final_block
