-- The first registration of a symbol; those that still stand come before those that ended.
SELECT *
FROM registration
WHERE symbol = %(symbol)s AND (%(chain_id)s::bigint IS NULL OR chain_id = %(chain_id)s)
ORDER BY released_at IS NOT NULL OR expired_at IS NOT NULL, minted_at, chain_id
LIMIT 1
