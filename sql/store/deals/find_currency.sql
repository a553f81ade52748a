SELECT symbol_key, decimals FROM indexed_token WHERE chain_id = %(chain_id)s AND address = %(address)s
