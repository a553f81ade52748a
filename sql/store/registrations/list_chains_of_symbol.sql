-- Chains on which a symbol has an active registration.
SELECT chain_id
FROM registration
WHERE symbol = %(symbol)s AND released_at IS NULL AND expired_at IS NULL
