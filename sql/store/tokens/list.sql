SELECT address, symbol_key, is_copy
FROM indexed_token
WHERE chain_id = %(chain_id)s AND address = ANY(%(addresses)s)
