-- The symbol under which a token is registered now.
SELECT symbol
FROM registration
WHERE chain_id = %(chain_id)s AND token_address = %(address)s AND released_at IS NULL AND expired_at IS NULL
