-- The latest registration of each token that was not released; expired ones are included.
SELECT DISTINCT ON (token_address)
    token_address, token_id, owner, managers, registry, minted_at, expired_at, verification_method, verified_at,
    presented
FROM registration
WHERE chain_id = %(chain_id)s AND token_address = ANY(%(addresses)s) AND released_at IS NULL
ORDER BY token_address, minted_at DESC, token_id DESC
