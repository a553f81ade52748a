-- The latest registration of each token under each symbol that was not released; expired ones are included. A token that
-- calls itself otherwise since is registered under two symbols, or under one that is no longer its own.
SELECT DISTINCT ON (token_address, symbol)
    token_address, symbol, token_id, owner, managers, registry, minted_at, expired_at, verification_method, verified_at,
    presented
FROM registration
WHERE chain_id = %(chain_id)s AND token_address = ANY(%(addresses)s) AND released_at IS NULL
ORDER BY token_address, symbol, minted_at DESC, token_id DESC
