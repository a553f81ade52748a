SELECT id, chain_id, token_id, token_address, account_id, wallet, channels, created_at
FROM page_subscription WHERE id = %(id)s
FOR UPDATE
