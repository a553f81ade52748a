-- A final block never becomes less final: final_block only increases.
UPDATE chain_checkpoint
SET head_block = %(head_block)s, final_block = greatest(final_block, %(final_block)s), updated_at = now()
WHERE chain_id = %(chain_id)s
