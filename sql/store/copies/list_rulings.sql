-- The operator's verdicts on these tokens.
SELECT address, is_copy, of_address, symbol_folded
FROM copy_ruling
WHERE chain_id = %(chain_id)s AND address = ANY(%(addresses)s)
