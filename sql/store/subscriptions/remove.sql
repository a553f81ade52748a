DELETE FROM page_subscription
WHERE account_id = %(account_id)s AND chain_id = %(chain_id)s AND token_id = %(token_id)s
RETURNING id, chain_id, token_id, token_address, account_id, wallet, channels, created_at
