UPDATE registration SET embeds_enabled = %(enabled)s WHERE chain_id = %(chain_id)s AND token_id = %(token_id)s
