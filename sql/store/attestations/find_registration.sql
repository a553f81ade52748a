SELECT symbol
FROM registration
WHERE chain_id = %(chain_id)s AND token_id = %(token_id)s AND released_at IS NULL AND expired_at IS NULL
