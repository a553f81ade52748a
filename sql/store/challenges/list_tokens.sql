-- Indexed tokens as challenges compare them.
SELECT address, symbol_key, deployer, deployed_block, deployed_index, copy_unknown, named_at
FROM indexed_token
WHERE chain_id = %(chain_id)s AND address = ANY(%(addresses)s)
