-- Chains that have a token of a symbol.
SELECT chain_id
FROM indexed_token
WHERE symbol_key = %(symbol)s AND precedence = 0
GROUP BY chain_id
ORDER BY chain_id
