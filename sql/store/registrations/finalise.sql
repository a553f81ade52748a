-- A registration becomes final once. token_ids and block_hashes are pairs: a row whose mint was recorded from another
-- block does not match.
UPDATE registration SET is_final = true, updated_at = now()
FROM unnest(%(token_ids)s::bigint[], %(block_hashes)s::text[]) AS known (token_id, block_hash)
WHERE registration.chain_id = %(chain_id)s AND registration.token_id = known.token_id
  AND registration.block_hash = known.block_hash AND NOT registration.is_final
  AND registration.block_number <= %(final_block)s
