DELETE FROM registration
WHERE chain_id = %(chain_id)s AND token_id = %(token_id)s AND NOT is_final
RETURNING token_address
