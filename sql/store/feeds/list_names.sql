-- Symbols and decimals of tokens.
SELECT address, symbol_key AS symbol, decimals
FROM indexed_token
WHERE chain_id = %(chain_id)s AND address = ANY(%(addresses)s)
