DELETE FROM page_app WHERE chain_id = %(chain_id)s AND token_id = %(token_id)s AND NOT (app_id = ANY(%(ids)s))
