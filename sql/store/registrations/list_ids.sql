SELECT token_id FROM registration WHERE chain_id = %(chain_id)s
