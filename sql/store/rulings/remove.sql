DELETE FROM copy_ruling WHERE chain_id = %(chain_id)s AND address = %(address)s
