-- The registration as it is now, locked: of two sends of one page, the second counts the first.
SELECT chain_id, token_id, symbol, owner, managers, token_address, transaction_hash, minted_at,
    released_at IS NULL AND expired_at IS NULL AS is_active
FROM registration
WHERE chain_id = %(chain_id)s AND token_id = %(token_id)s
FOR NO KEY UPDATE
