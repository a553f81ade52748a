SELECT app_id, enabled, installed_at FROM page_app
WHERE chain_id = %(chain_id)s AND token_id = %(token_id)s ORDER BY position, app_id
