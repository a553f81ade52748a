-- The earliest mint with the id, on the chain if one is named.
SELECT *
FROM registration
WHERE token_id = %(token_id)s AND (%(chain_id)s::bigint IS NULL OR chain_id = %(chain_id)s)
ORDER BY minted_at, chain_id
LIMIT 1
