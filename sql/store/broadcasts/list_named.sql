-- The registrations with an id, on every chain or on one, the earliest mint first, with what says who may send.
SELECT chain_id, token_id, symbol, owner, managers, token_address, transaction_hash, minted_at,
    released_at IS NULL AND expired_at IS NULL AS is_active
FROM registration
WHERE token_id = %(token_id)s AND (CAST(%(chain_id)s AS bigint) IS NULL OR chain_id = %(chain_id)s)
ORDER BY minted_at, chain_id
