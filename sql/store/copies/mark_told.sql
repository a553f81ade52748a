-- Marks copies of one registration as recorded. Returns only those that were not marked before.
UPDATE copy_sighting SET told_at = now()
WHERE chain_id = %(chain_id)s AND of_chain_id = %(of_chain_id)s AND of_token_id = %(of_token_id)s
  AND address = ANY(%(addresses)s) AND told_at IS NULL
RETURNING address
