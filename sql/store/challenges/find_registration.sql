-- The registration that has an id now: by which mint, and whether it has ended.
SELECT transaction_hash, released_at, expired_at
FROM registration
WHERE chain_id = %(chain_id)s AND token_id = %(token_id)s
