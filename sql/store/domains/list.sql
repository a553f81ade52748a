SELECT * FROM registration_domain WHERE chain_id = %(chain_id)s AND token_id = %(token_id)s ORDER BY domain
