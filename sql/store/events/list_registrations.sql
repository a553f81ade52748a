-- Registrations of tokens, ended ones included: events before their end belong to them.
SELECT token_address, token_id, symbol, block_number, minted_at, least(released_at, expired_at) AS ended_at
FROM registration
WHERE chain_id = %(chain_id)s AND token_address = ANY(%(addresses)s)
ORDER BY token_id
