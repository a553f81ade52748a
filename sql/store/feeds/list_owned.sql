-- The tokens of chains whose registrations wallets own.
SELECT chain_id, owner AS wallet, token_address
FROM registration
WHERE owner = ANY(%(wallets)s) AND released_at IS NULL AND expired_at IS NULL
