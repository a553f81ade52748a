-- Move the published block while no unit is in progress. No row is returned if another writer moved the checkpoint.
UPDATE chain_checkpoint
SET pending = NULL, block_number = %(block_number)s, block_hash = %(block_hash)s, block_time = %(block_time)s,
    generation = generation + 1, updated_at = now()
WHERE chain_id = %(chain_id)s AND generation = %(generation)s
RETURNING chain_id, generation, block_number, block_hash, block_time, pending, halted, final_block
