-- A token with one of the given symbols that is not a copy: the symbol itself before look-alikes.
SELECT symbol_key AS symbol, chain_id, address
FROM indexed_token
WHERE symbol_key = ANY(%(symbols)s) AND NOT is_copy
ORDER BY symbol_key <> %(symbol)s, precedence, first_seen_at
LIMIT 1
